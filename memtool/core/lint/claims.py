"""The constructions that claim something is unfinished now, in English and Chinese; status.py asks them."""

from __future__ import annotations

# A keyword ("pending", "in progress", "today") is right about half the time, for rules speak of the same things.
# So every row here is a construction: a claim that something is unfinished now, made in the indicative.

_EDGE = r"(?:^\W*|[(（:：,，—–]\s*|\s-\s+)"  # where a label or a loose predicate may begin
_STOP = r"(?=\s*(?:[).,;:!）。，；：！、—–]|\s-\s|$))"  # where a predicate must have ended
_ACTOR = (
    r"(?:\S+\s+){0,4}?(?:review|approval|sign|repl(?:y|ies)|answer|response|feedback|confirmation|decision|merge|release|"
    r"go\b|legal|upstream|maintainer|vendor|customer|client|user|team|access|credential|key\b|certificate|permission|"
    r"PR\b|#\d|@\w|(?-i:[A-Z]\w+))"
)
_DONE = (
    r"(?:merged|pushed|committed|released|published|tagged|deployed|tested|reviewed|approved|fixed|resolved|implemented|"
    r"written|built|done|started|begun|finished|completed|migrated|ported|converted|decided|confirmed|wired|landed)"
)
_DOING = (
    r"(?:working on|investigating|moving|migrating|porting|rewriting|writing|building|refactoring|fixing|debugging|"
    r"reviewing|preparing|converting|drafting|"
    rf"being (?:{_DONE}|moved|rewritten|refactored|discussed))"
)
_STATE = r"(?:in progress|work[ -]in[ -]progress|wip|pending|in (?:beta|draft|review|flight)|under ?(?:way|review))"
_STUCK = (
    r"(?:held up|on hold|paused|stalled|stuck|delayed|postponed|half\w*|overdue|on the way|"
    r"in the middle of|undecided|tbd)"
)
_WORK = r"(?:PR|MR|pull request|merge request|branch|patch|issue|ticket|question|bug|release|fix|build|(?=#)#\d+)"
_SOON = r"(?:tomorrow|later today|(?:next|this) (?:week|month|sprint|quarter|release))"
_WHEN = (
    r"(?:20\d\d\b|v\d|version \d|q[1-4]\b|next|this|spring|summer|autumn|winter|"
    r"(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)(?:[a-z]{3,6})?\b)"
)
_SOME = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|several|a few)"
_DO_ZH = (
    r"(?:合并|合入|推|提交|发布|发版|完成|做完|写|测|部署|上线|修|解决|实现|回复|确认|处理|验证|评审|审核|审批|批准|迁移|"
    r"转换|开始|启动|补|定|更新|关闭|打标签|接入|拆分|清理|跟进|排查|调研|讨论)"
)
_DOING_ZH = r"(?:等(?![谁什哪])|查(?!询)|改(?!进)|修(?!改)|写(?![入作])|迁移|搬|赶|跑)"
_TAIL_ZH = r"(?![^，。；]{0,10}(?:时(?!间|区|刻)|之前|后再))[^，。；的]{0,16}"
_SOME_ZH = r"\s*(?:[一两二三四五六七八九十几]|\d+)\s*"

# (words of which one must be there, the label); what follows a label is the status
LABELS = (
    (
        "next|следующий",
        rf"{_EDGE}(?:next(?: steps?| up| actions?| task| session| milestone)?|следующий шаг)\s*(?:[:：—–]|-\s)",
    ),
    ("progress|wip|pending", rf"{_EDGE}(?:in progress|wip|pending(?: [\w ]{{1,24}}(?=[:：]))?)\s*(?:[:：—–]|-\s)"),
    ("un|not ", rf"{_EDGE}(?:un(?:committed|merged|pushed|released|finished)|not (?:yet )?{_DONE})\s*[:：]"),
    (
        "to-do|todo|fixme|tbd|block|remaining|outstanding|left|eta",
        rf"{_EDGE}(?:to-?do|fixme|tbd|blockers?|blocked(?: by| on)?|remaining(?: \w+)?|outstanding|left|eta)\s*[:：]",
    ),
    (
        "left|still|working|goal|today|tomorrow",
        rf"{_EDGE}(?:left to do|still (?:open|missing|to do)|working on|sprint goal|today|tomorrow)\s*[:：]",
    ),
    ("open", rf"{_EDGE}open(?: (?:[pm]rs?|questions?|issues?|items?|tasks?|threads?|points?))?\s*[:：]"),
    (
        "current",
        (
            rf"{_EDGE}current(?: (?:focus|task|phase|branch|state|status|sprint|milestone|version|work|step|priorit\w+|"
            r"blockers?|goal))?\s*[:：]"
        ),
    ),
    (
        "status|state|progress",
        (
            rf"{_EDGE}(?:status|state|progress)\s*[:：][^.;|]{{0,40}}?\b(?:{_STATE}|{_STUCK}|blocked|draft|a?waiting|"
            r"not started|unfinished|\d?\d ?%)"
        ),
    ),
    (
        "下一步|接下来|待办|遗留|剩下|未完成|未解决|剩余|阻塞|卡点|当前",
        (
            r"(?:下一步|接下来|待办|遗留|剩下|未完成|未解决|剩余|阻塞|卡点|当前(?:任务|进度|分支|阶段|重点|状态|版本|工作|目标|阻塞))"
            r"(?:事项|问题|工作|任务|项|计划)?\s*[:：—–]"
        ),
    ),
    (
        "状态|进度|进展",
        rf"(?:状态|进度|进展)\s*[:：][^。；|]{{0,20}}?(?:[进开]\w?[行发]中|未|待|阻塞|草稿|等|{_STATE}|\d?\d ?%)",
    ),
)

# (words of which one must be there, the construction)
CLAIMS = (
    ("[ ]", r"^\s*(?:(?:[-*+]|\d+[.)])\s+)?\[ \]\s+\S.*"),
    # negated completion
    (
        "yet|so far",
        (
            r"(?:\bnot|\b\w+n['’]t|\bno|\bnobody|\bnothing|\bnone|\bonly)\b[^.;:,]{0,60}\b(?:yet|so far)"
            r"(?=\s*(?:[).,;:!—–]|$|(?:in|on|for|by|to|because)\b))"
        ),
    ),
    ("yet", r"\b(?:is|are|has|have) (?:not yet (?:been )?|yet to )\w+|\bno (?:decision|reply|answer|news) yet\b"),
    # "handoff not yet tested", but not "modules not yet documented": a bare plural is a kind of thing, not a thing
    ("not yet", rf"(?:{_EDGE}|(?<!s )(?<!that )(?<!but ))\bnot yet (?:been )?{_DONE}"),
    ("but ", rf"\b(?:{_DONE}|ready|planned|designed|drafted|proposed),? but (?:is )?not (?:yet )?\w+ed\b"),
    ("hasn|haven|not", rf"\b(?:hasn['’]t|haven['’]t|has not|have not) (?:been )?{_DONE}"),
    ("not|un", rf"{_EDGE}(?:still )?(?:not |un){_DONE}{_STOP}"),
    ("un", rf"\b(?:is|are|remains?|has|have)(?: still)? (?:\w+ )?un(?!done)(?:{_DONE}|tracked|answered)"),
    ("uncommitted", r"^\W*uncommitted [^.;]{0,30}?[\w/]\.\w{1,4}\b"),
    # an unfinished state, as the predicate of the sentence or on its own in brackets or behind a dash
    ("progress|wip|pending|beta|draft|review|flight|way", rf"{_EDGE}(?:still )?{_STATE}{_STOP}"),
    ("is|are|'re|am|remain", rf"\b(?:is|are|we're|I'm|am|remains?) (?:still |now )?(?:{_STATE}|{_STUCK}|still open)\b"),
    ("ing", rf"(?:\b(?:is|are|am)|we're|I'm) (?:still |now )?{_DOING}\b|^\W*working on(?![^;]* (?:is|are|means)\b)"),
    # a stamp in capitals, as people write it into a heading or brackets
    (
        "open|pending|wip|tbd|blocked|progress|started|todo",
        r"(?-i:[\[(,—–|:]\s*(?:OPEN|PENDING|WIP|TBD|BLOCKED|IN PROGRESS|NOT STARTED)\s*(?:[\]),|]|$)|\s[-—–]\s+TODO$)",
    ),
    (
        "still",
        (
            rf"\bstill (?:very much )?(?:a |an )?(?:{_STATE}|{_STUCK}|unresolved|unclear|missing|fail\w*|broken|"
            r"waiting|blocked|outstanding|untested|red\b|flaky|ha(?:s|ve) to \w+|to (?:be|do)\b|"
            r"needs? (?:to be|reviews?|tests?|docs?|a fix))"
        ),
    ),
    ("unclear|unknown", r"\b(?:it is|it's|is) (?:still )?(?:unclear|unknown|not clear) (?:whether|who|if|when|how)\b"),
    ("open|draft", rf"\b{_WORK}\b[^.;,]{{0,30}}\b(?:is|are|remains?) (?:still )?(?:open|a draft|in draft)\b"),
    (
        "fail|broken|red|flaky",
        r"\b(?:ci|main|build|pipeline|tests?|suite|jobs?)\b[^.;,]{0,30}\b(?:is|are) (?:failing|broken|red\b|flaky)",
    ),
    # waiting for somebody
    (
        "wait|block",
        rf"(?:\b(?:is|are|am|still)|'re|'m|{_EDGE})\s*(?:awaiting|waiting (?:for|on)|blocked (?:on|by)) {_ACTOR}",
    ),
    ("waits", rf"\b{_WORK}\b[^.;,]{{0,30}}\b(?:waits (?:for|on)|awaits) {_ACTOR}"),
    (
        "pending",
        (
            rf"\bpending (?:\S+ ){{0,2}}?(?:review|approval|go|go-ahead|merge|release|sign-?off|decision|confirmation)"
            rf"(?:{_STOP}|(?= (?:for|by|from|of|on)\b))|\bpending (?:explicit|human|manual|local|external|legal)\b"
        ),
    ),
    # how much is left
    (
        "left|remain|to go|outstanding",
        (
            rf"\b{_SOME} (?:more )?(?:[a-z-]+ ){{0,3}}(?:left(?! of| hand)|remain(?:s|ing)?|to go|outstanding)"
            rf"(?:{_STOP}| to\b)|\bremains? to be \w+|"
            rf"\b(?:work|tasks?|items?|steps?|stages?|docs|tests|questions?) remains?{_STOP}"
        ),
    ),
    (
        "/|of",
        rf"\b(\d+) ?(?:/|of|out of) ?(?!\1\b)\d+ (?:\w+ ){{0,2}}(?:{_DONE}|complete|so far)\b",
    ),
    ("%", rf"\b\d?\d ?% (?:{_DONE}|complete)\b"),
    # now, and not for long
    (
        "currently|presently",
        r"(?<!\bthe )(?<!\ba )(?<!\ban )(?<!\bany )(?<!\byour )(?<!\bof )\b(?:currently|presently)\b(?!-)",
    ),
    (
        "now|present|time being|as of|tempor",
        (
            r"\b(?:temporarily (?:disabled|off|down|unavailable|pinned)|right now|for now|at present|"
            r"for the time being|as of (?:now|today|this))\b"
        ),
    ),
    (
        "moment",
        rf"(?:{_EDGE}|\b(?:is|are|not|only|reviews|works|runs)\b[^.;,]{{0,30}}\s)at the moment\b(?! (?:of|when|that))",
    ),
    (
        "tomorrow|later today|week|month|sprint|quarter|release",
        rf"\b{_SOON}{_STOP}|\b(?:will|gets?|due|by|going|working)\b[^.;]{{0,50}}\b{_SOON}\b(?!['’])",
    ),
    ("soon|about to", r"\b(?:coming soon|will soon|(?:is|are) about to)\b"),
    (
        "planned|scheduled|slated|due|targeted|expected",
        (
            r"\b(?:planned|scheduled|slated|due|targeted|expected) (?:for|to land in|in|on|by) "
            rf"(?:the |early |late |mid-?)?{_WHEN}"
        ),
    ),
    ("will", rf"\bwill (?:be \w+ed|ship|land|move|follow|come|go)\b[^.;,]{{0,30}}\b(?:in|with|by) (?:the )?{_WHEN}"),
    ("next", r"^\W*next session (?:should|must|will|needs|has to|can|starts|continues)\b"),
    ("next", r"\bnext (?:\w+ )?(?:step|choice|task|milestone|action|thing) (?:is|will be)\b"),
    # 否定的完成
    (
        "还没|尚|暂|还未|仍未|仍没|至今|还不",
        rf"(?:还没|尚未|暂未|还未|仍未|仍没|至今[没未]|尚无|暂不|暂无|还不[能会支]){_TAIL_ZH}",
    ),
    ("未", rf"(?<![有无是否如])未(?:经)?{_DO_ZH}{_TAIL_ZH}"),
    ("没", rf"没有?{_DO_ZH}(?:好|完|成)?{_STOP}"),
    # "待合并" as a predicate; "待合并的 PR" and "待处理列表" are kinds of things
    (
        "待",
        (
            r"(?<![等期对招接看优善虐])待(?:下[次个一轮][^，。；的]{0,10}|"
            rf"[^，。；、的]{{0,10}}?{_DO_ZH}[^，。；的]{{0,4}}){_STOP}"
        ),
    ),
    # 等人
    ("等", r"等待?[^，。；的再后]{1,16}(?:评审|审核|审批|批准|确认|回复|答复|反馈|合并|发布|签字|决定)"),
    ("卡|挡|阻|拖", r"卡在[^，。；的]{1,16}|被[^，。；]{1,16}(?:挡|卡|阻塞|拖)住?"),
    ("暂停|搁置|推迟|延期", r"(?:暂停|搁置|推迟|延期)[，,]?(?:等|待|到)[^，。；]{1,16}"),
    # 剩多少
    ("剩|余|差|缺", rf"[剩余差缺](?:余|下|约)*\s*\d+\s*[个项条处份篇张次%]?|还[剩差缺](?:{_SOME_ZH}|点)"),
    ("还有", rf"还有{_SOME_ZH}[个项条处份篇][^，。；]{{0,16}}(?:没|未|待)[^，。；]{{0,8}}"),
    ("还", r"还(?:得|要(?!求)|需)[^，。；的]{1,16}"),
    ("%|一半", r"(?:完成|做|写|改|迁移)(?:了?\s*\d?\d ?%|了|到)?(?:一半)?(?<=[%半])"),
    ("完", r"\d+\s*[个种项条份篇处][^，。；\d]{0,8}(?:完成|做完|写完|迁移|转换)了?\s*\d+"),
    # 此刻
    (
        "正|在",
        rf"(?:正在|正(?=[开修做写测迁])|本周在|今天在|最近在|还在(?=和|跟|与|等)|(?<![存现所内外处放用])在(?={_DOING_ZH})){_TAIL_ZH}",
    ),
    ("中", rf"(?:开发|测试|评审|审核|排查|修复|迁移|调研|部署|重构|讨论|处理|进行|等待)中{_STOP}"),
    ("处于", r"处于[^，。；的]{0,6}(?:测试|开发|内测|公测|试用|设计|规划)(?:阶段|中|期)"),
    (
        "目前|眼下|现阶段|截至|暂时|临时",
        r"(?:目前|眼下|现阶段|截至今天|截至目前|暂时|临时(?=[关停用改禁绕]))(?!的)[^，。；]{1,20}",
    ),
    (
        "当前",
        (
            r"当前(?=[^，。；的]{0,12}(?:正|还|仍|只|仅|缺|未|没|已知|失败|报错|卡|阻塞|不稳|flaky|问题)|"
            r"[^，。；的]{2,30}，(?:应|需|缺|待))[^，。；]{1,20}"
        ),
    ),
    ("现在|仍", r"(?:现在(?:还|仍|卡|失败|正)|仍(?:然)?(?:失败|报错|有|缺|需|存在|不))[^，。；的]{0,16}"),
    # 将要
    (
        "接下来|后续|下一步",
        r"(?:接下来[要会先准]|后续(?:再|还|计划|补|版本)|下一步(?=[看做要打准去把将先]))[^，。；]{1,20}",
    ),
    ("明天|后天|下|本周|底", r"(?:明天|后天|下周|下个月|下个?版本|本周内|月底前?|年底前?)(?!的)[^，。；的]{1,16}"),
    (
        "预计|计划|将",
        r"(?:预计|计划|将)(?:于|在|将)?\s*(?:下|本周|本月|明|后天|月底|年底|第.季度|q\d|v\d|\d{4}|\d+\s*月)[^，。；]{0,16}",
    ),
)
