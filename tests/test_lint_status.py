"""The promises of memtool.core.lint.status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memtool.core.lint.status import rotting

ROOT = str(Path(__file__).resolve().parents[1])
DATA = Path(ROOT, "../shared/data/lint/volatile-status.jsonl")

VOLATILE_EN = """\
The retry branch isn't pushed yet.
- The parser rewrite has not been merged.
PR #214 waits for review by Dana.
We are waiting for legal to sign off on the licence change.
58 files left to convert.
- 3 of 11 endpoints migrated so far
- [ ] write the importer for the old format
TODO: ask Mira about the retention period
**Status:** in progress, halfway through the schema change
Next step: port the billing tests.
**Next up** - wire the cache into the CLI
CI is currently failing on macOS.
The nightly job is still broken after the upgrade.
The release is blocked on the signing certificate.
v3.1 is ready, tag and upload still outstanding.
I am working on the search index this week.
The docs rewrite is 70 % done.
Deployment to staging is scheduled for 2026-08-03.
For now we call the old endpoint.
Backfill is running right now on host b2.
- auth refactor (not started)
- login page - work in progress
Open PRs: #31, #35
**Blocked by:** the missing API key from the vendor
The fix will ship in the next release.
Windows support is planned for the autumn.
Current focus: the sync engine
Nobody has answered the question about quotas yet.
Two migrations remain to be written.
Awaiting feedback from the design team.
Tests for the merge driver are still missing.
Uncommitted changes in core/split.py.
The benchmark numbers are not in the README yet.
PR 88 is still open.
We haven't decided on the file format yet.
Remaining: docs, changelog, release notes
As of today the mirror is two commits behind.
Vendor ticket OPS-12 - no reply so far.
The old server gets switched off next week.
The import is half finished.
The second half of the importer still has to be ported.
Merge of feature/cache is held up by a flaky test.
Dana has yet to confirm the budget.
**Open:** who owns the staging database
- exporter: 4 of 9 formats done
The branch `fix/locks` has three unpushed commits.
We are in the middle of moving the wiki.
Rollout is paused until the vendor fixes the driver.
The new schema is ready but not deployed.
Working on the parser; lexer is finished.
Next: look at the memory leak in the worker.
- Phase 2 (in progress)
The certificate expires next month.
There are 12 unresolved comments on PR #90.
It is unclear whether the customer wants the old report.
Last build failed; fix is on the way.
Sprint goal: ship the new login by Friday
The old endpoint will be removed in v4.
Docs are out of date, rewrite planned for Q3.
I need to ask Mira about the key tomorrow.
The data team is investigating the drop since Monday.
Version 2.4 is in beta.
No decision yet.
Still to do: error messages, metrics
The PR awaits a second approval.
Backups of the new host are not set up yet.
Left: error handling and the French texts.
The index rebuild runs until Thursday.
- Stage 4 - pending
Mira reviews PR 77 at the moment.
Two of the five services use the new client so far.
Waiting on Dana for the DNS change.
CI: red since the upgrade.
The hotfix is deployed to staging only.
Token refresh - TODO
I still have to write the migration guide.
Ticket 812 has no owner yet.
v2 release candidate is out, final next week.
Branch perf/cache: rebased, unmerged.
The search page is temporarily disabled.
Q3 goals are being discussed with the customer.
The sandbox account is about to expire.
Coverage is at 61 % now, target 80 %.
Now porting the tests to the new runner.
Next milestone: public beta
"""

KEEP_EN = """\
Run the tests before the PR is merged.
Never leave a branch unpushed overnight.
Always say what is pending at the end of a session.
If a review is still open, do not start the next one.
When CI is failing, read the log before you rerun it.
The queue keeps messages that have not been acknowledged yet.
`pending` is the state of a job that no worker has taken.
Status is one of: pending, in progress, done, failed.
The word "TODO" in a comment fails the build.
2026-03-02: merged the parser rewrite and removed the old one.
The branch was pending for a week and then merged.
A task in progress has an owner.
Every open pull request needs one reviewer.
Use the current branch name in the commit title.
The deploy script waits for the health check.
The currently selected row is drawn in bold.
Prefer small pull requests; a big one waits for days.
The next step of the wizard asks for a region.
Dana reviews database changes, Mira reviews the front end.
The cache is invalidated when the remaining budget drops below zero.
Do not merge until the release notes are written.
Production runs on three hosts in Frankfurt.
Report how many files are left after each batch.
Ask before you push; a push is not undone.
A ticket is closed only after the customer has confirmed it.
The user works in Berlin and answers mail in the evening.
The lock file tells other processes that a sync is in progress.
Commands that are still running get a signal after ten seconds.
List what is not yet covered by tests.
The migration of 2025 took four days because the index was missing.
Mark unfinished work with a draft label.
Review every pending change at the start of the week.
Blocked requests return 403.
The function returns None while the upload is not complete.
Today's date goes into the file name.
Say "not tested" rather than nothing.
All 58 files were converted in May.
Open questions go to the issue tracker, not into chat.
Waiting for a lock longer than five seconds is an error.
The left column shows the remaining time.
A pull request without tests is not merged.
Use British spelling in all user-facing text.
If there are unpushed commits, push them before the session ends.
The status field takes the values open, closed and stale.
Decided on 2026-01-12: no new database before the audit.
When you are blocked, say so and name the person you wait for.
The worker retries three times and then gives up.
Unfinished work belongs in a branch, not in main.
Waiting lists are printed in order of arrival.
The scheduler picks the next task from the queue.
Do not answer questions about pending litigation.
The user dislikes long introductions.
A release is planned for each quarter.
A draft stays open until its author closes it.
Keep what is still to do out of this file.
The customer pays within 30 days.
Postgres 15 runs on db1, the replica on db2.
Tests live beside the code they test.
Progress is shown in the status bar.
The team meets every Tuesday at ten.
The old server was switched off in March.
Remaining budget is shown in the header.
Prefer tabs that are currently open over new ones.
Nothing is published without two approvals.
Read the open issues first, then the code.
Use the staging account for experiments.
The reviewer waits for green tests before reading.
Name a branch after its ticket.
Every session ends with a list of what is left.
A lock that is still held after a minute is stale.
Releases happen on the first Monday of the month.
No meeting next to lunch.
When the user says "next", show the next item.
The API returns 202 while the job is running.
Deploys on Friday are not allowed.
The user's current employer is a bank.
In 2024 the team moved from Jira to Linear.
Prefer finished small things over big things in progress.
The word pending means nobody has looked yet.
Draft pull requests do not trigger CI.
Todo items are written as imperatives.
The parser was rewritten in March and is stable.
Explain what remains open in the last paragraph.
Only maintainers can merge.
An unreleased change gets a line in the changelog.
"""

VOLATILE_ZH = """\
重试分支还没推送。
- 解析器重写尚未合并
PR #214 等待 Dana 评审。
正在等法务确认许可证变更。
剩余 58 个文件要转换
11 个接口已迁移 3 个，还剩 8 个。
- [ ] 编写旧格式的导入工具
待办：问小米数据保留期限
**状态**：进行中，表结构改了一半
下一步：移植计费测试
接下来要把缓存接到命令行里。
macOS 上的 CI 目前失败。
升级之后夜间任务仍然报错。
发布卡在签名证书上。
v3.1 已就绪，待打标签和上传。
本周在做搜索索引。
文档重写完成了 70%。
预计下周部署到预发环境。
暂时先调用旧接口。
b2 主机上的回填正在跑。
- 登录页面（开发中）
- 认证重构：未开始
当前任务：同步引擎
配额的问题还没有人回复。
合并驱动的测试还缺两个。
等设计组反馈。
还有 2 个迁移脚本没写。
文件格式还没定下来。
遗留：文档、更新日志
截至今天镜像落后两个提交。
供应商工单 OPS-12 至今没有回复。
旧服务器下周关机。
Windows 版暂不支持。
当前分支：fix/login
代码写完了，测试待补充。
导入器后半部分还得移植。
feature/cache 的合并被一个不稳定的测试挡住了。
Dana 还没确认预算。
导出：9 种格式做完了 4 种。
`fix/locks` 分支有三个提交没推。
wiki 迁移做到一半。
上线暂停，等供应商修驱动。
新表结构已就绪但未部署。
正在写解析器，词法部分已完成。
下一步看工作进程的内存泄漏。
- 第二阶段（进行中）
证书下个月到期。
PR #90 上还有 12 条评论没解决。
旧接口将在 v4 移除。
文档过时，计划第三季度重写。
明天要问小米密钥的事。
数据组在查周一以来的下降。
2.4 版处于测试阶段。
尚无结论。
PR 还差一个人批准。
新主机的备份还没配好。
剩下：错误处理和法语文案。
- 第四阶段：待开始
小米正在评审 PR 77。
五个服务里只有两个用上了新客户端。
在等 Dana 改 DNS。
升级后 CI 一直是红的。
修复只部署到了预发。
迁移指南我还要写。
812 号工单暂无负责人。
搜索页临时关闭。
第三季度目标还在和客户讨论。
沙箱账号快到期了。
覆盖率现在 61%，目标 80%。
分支 perf/cache 未合并。
"""

KEEP_ZH = """\
合并 PR 之前先跑测试。
不要把没有推送的分支留到第二天。
每次会话结束时都要说明还有什么没完成。
如果评审还没结束，不要开始下一个。
CI 失败时先看日志再重跑。
队列保存尚未确认的消息。
`pending` 表示任务还没有被领取。
状态只有四种：待处理、进行中、已完成、失败。
注释里出现“待办”会让构建失败。
2026-03-02：合并了解析器重写，删除旧代码。
进行中的任务必须有负责人。
每个待合并的 PR 需要一名评审人。
提交标题里写当前分支名。
部署脚本会等待健康检查通过。
当前选中的行用粗体显示。
用户住在柏林，晚上回邮件。
数据库改动由 Dana 评审，前端由小米评审。
剩余额度低于零时缓存失效。
发布说明写完之前不要合并。
生产环境在法兰克福有三台主机。
每批处理完后报告剩余多少文件。
推送前先问一下，推送不可撤销。
客户确认之后才能关闭工单。
锁文件告诉其他进程同步正在进行。
还在运行的命令十秒后会收到信号。
列出尚未被测试覆盖的部分。
2025 年的迁移花了四天，因为缺少索引。
未完成的工作用草稿标签标记。
每周一检查所有待处理的变更。
上传未完成时函数返回空值。
文件名里写今天的日期。
宁可写“未测试”，也不要什么都不写。
58 个文件在五月全部转换完毕。
等待锁超过五秒视为错误。
左栏显示剩余时间。
没有测试的 PR 不予合并。
面向用户的文字一律用简体中文。
有未推送的提交时，先推送再结束会话。
状态字段可取：打开、关闭、过期。
2026-01-12 决定：审计前不换数据库。
遇到阻塞要说清楚在等谁。
失败后重试三次然后放弃。
未完成的工作放在分支里，不进主干。
等待列表按到达顺序打印。
调度器从队列取下一个任务。
用户不喜欢冗长的开场白。
每季度计划发布一次。
草稿在作者关闭之前一直打开。
把还没做的事写到别的文件里。
客户三十天内付款。
测试和被测代码放在一起。
状态栏显示进度。
旧服务器三月已关机。
页眉显示剩余预算。
先看未关闭的工单，再看代码。
实验用预发账号。
评审人等测试变绿再看。
分支以工单号命名。
每次会话结束列出剩余事项。
超过一分钟仍被占用的锁视为失效。
每月第一个周一发布。
任务运行期间接口返回 202。
周五不部署。
用户目前的雇主写在 user.md。
2024 年团队从 Jira 换到 Linear。
草稿 PR 不触发 CI。
待办用动词开头。
解析器三月重写过，已稳定。
最后一段说明哪些还没解决。
只有维护者能合并。
"""

OWN = {
    "English": (VOLATILE_EN.splitlines(), KEEP_EN.splitlines()),
    "Chinese": (VOLATILE_ZH.splitlines(), KEEP_ZH.splitlines()),
}


def labelled(language: str) -> tuple[list[str], list[str]]:
    """Give the volatile and the other sentences of the shared data in *language*."""
    if not DATA.exists():
        pytest.skip(f"the labelled sentences are not here: {DATA}")
    rows = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
    rows = [
        row for row in rows if any("\u4e00" <= letter <= "\u9fff" for letter in row["text"]) == (language == "Chinese")
    ]
    return tuple([row["text"] for row in rows if row["label"] == label] for label in ("volatile", "keep"))  # type: ignore[return-value]


def precision_and_recall(volatile: list[str], keep: list[str]) -> tuple[float, float]:
    right = sum(rotting(line) is not None for line in volatile)
    wrong = sum(rotting(line) is not None for line in keep)
    return right / (right + wrong), right / len(volatile)


@pytest.mark.parametrize("language", OWN)
def test_is_right_about_our_own_sentences(language: str) -> None:
    """Of sentences written for this test nine in ten are judged rightly. Measured: precision 1.00, recall .9."""
    precision, recall = precision_and_recall(*OWN[language])
    assert precision >= 0.95
    assert recall >= 0.85


@pytest.mark.parametrize(("language", "least"), [("English", 0.85), ("Chinese", 0.75)])
def test_is_right_about_sentences_of_real_memory_files(language: str, least: float) -> None:
    """What is flagged in real memory files is a passing status four times in five, in either language.

    Measured: precision 1.00 in both, recall .95 in English and .87 in Chinese.
    """
    precision, recall = precision_and_recall(*labelled(language))
    assert precision >= 0.8
    assert recall >= least


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("The retry branch isn't pushed yet.", "isn't pushed yet"),
        ("**Next step:** port the billing tests.", "Next step: port the billing tests."),
        ("- CI on main is red. Production runs in Frankfurt.", "CI on main is red"),
        ("解析器重写尚未合并，其余已完成。", "尚未合并"),
    ],
)
def test_names_the_words(line: str, words: str) -> None:
    """The answer is the words of the line without their emphasis, so that a message can quote them."""
    assert rotting(line) == words


@pytest.mark.parametrize("line", ["", "   ", "**", "`pending`", "[ ]", "- [x] shipped the importer", "|||", "。。。"])
def test_has_nothing_to_say_about_a_line_without_words(line: str) -> None:
    """An empty line, markup, code, or a ticked task states nothing that will be wrong."""
    assert rotting(line) is None


@pytest.mark.parametrize(
    "piece", ["](", "<!--", "“", '"', "- ", "currently → ", "if currently ", "waiting for ", "未", "1 of "]
)
def test_a_hostile_line_is_read_to_its_end(piece: str) -> None:
    """Nothing in the patterns runs away on five thousand beginnings; the answer is words of the line, or none."""
    line = piece * 5000
    found = rotting(line)
    assert found is None or found in line


def test_importing_it_costs_nothing() -> None:
    """The module is imported by a git hook, and so loads neither re nor typing nor dataclasses."""
    code = "import sys, memtool.core.lint.status; sys.exit(bool({'re', 'typing', 'dataclasses'} & set(sys.modules)))"
    assert (
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {ROOT!r}); {code}"], check=False
        ).returncode
        == 0
    )
