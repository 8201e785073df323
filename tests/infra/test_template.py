"""What the template promises and its linters don't look at: who may do what, to what, and from where it is reached."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from okf_edge_infra.contents import PYTHON, ROOT
from okf_edge_infra.lint import SAM, SKIPPED, TEMPLATE, commands
from okf_edge_lambda.settings import Settings, settings_from

FUNCTIONS = ("Api", "Search", "Ingest", "Clock")
VARIABLES = re.compile(r"\| (OKF_\w+) \| ([a-z, ]+) \|")

ROLES = {
    "Api": {
        ("s3:ListBucket", "bucket"),
        *((("s3:GetObject", f"bucket/{folder}/*")) for folder in ("feed", "served", "incoming", "outcomes", "ledger")),
        ("s3:PutObject", "bucket/incoming/*"),
        ("s3:PutObject", "bucket/ledger/*"),
        ("lambda:InvokeFunction", "search:live"),
        ("ssm:GetParameter", "tokens"),
        ("ssm:GetParameter", "audit-key"),
    },
    "Search": {
        ("s3:ListBucket", "bucket"),
        ("s3:GetObject", "bucket/served/*"),
        ("s3:GetObject", "bucket/models/*"),
        ("lambda:InvokeFunction", "search:live"),
    },
    "Ingest": {
        ("s3:ListBucket", "bucket"),
        *((("s3:GetObject", f"bucket/{folder}/*")) for folder in ("feed", "served", "models", "incoming", "outcomes")),
        *((("s3:PutObject", f"bucket/{folder}/*")) for folder in ("feed", "served", "outcomes", "quarantine")),
        ("s3:DeleteObject", "bucket/incoming/*"),
        ("ssm:GetParameter", "online-keys"),
    },
    "Clock": {
        ("s3:ListBucket", "bucket"),
        ("s3:GetObject", "bucket/feed/*"),
        ("s3:GetObject", "bucket/served/*"),
        ("s3:PutObject", "bucket/feed/metadata/*"),
        ("lambda:InvokeFunction", "ingest:live"),
        ("ssm:GetParameter", "online-keys"),
    },
}  # fmt: skip
"""All that each function may do when nothing optional was asked for; beside writing its log and its traces."""

OPTIONAL = {
    "HasTable": {
        (f"dynamodb:{verb}", "calls") for verb in ("GetItem", "PutItem", "UpdateItem", "DeleteItem")
    },
    "HasInbox": {("s3:GetObject", "inbox/*"), ("s3:PutObject", "inbox/*")},
}  # fmt: skip


class _Cfn(yaml.SafeLoader):
    """YAML with the short forms of CloudFormation's functions."""


def _function(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return {suffix: loader.construct_scalar(node)}
    if isinstance(node, yaml.SequenceNode):
        return {suffix: loader.construct_sequence(node, deep=True)}
    return {suffix: loader.construct_mapping(node, deep=True)}


_Cfn.add_multi_constructor("!", _function)


@cache
def template() -> Any:
    return yaml.load(TEMPLATE.read_text(), _Cfn)


def properties(function: str) -> dict[str, Any]:
    found: dict[str, Any] = template()["Resources"][function]["Properties"]
    return found


def short(resource: dict[str, str]) -> str:
    """The end of an ARN, with the bucket's name as `bucket`."""
    arn = resource["Sub"]
    place = arn.replace("${Name}-${AWS::AccountId}-${AWS::Region}", "bucket").replace("${InboxBucket}", "inbox")
    return re.sub(r"^.*:::|^.*:(?:function:|table/|parameter/)\$\{Name\}[-/]", "", place)


def allowed(statements: list[dict[str, Any]]) -> set[tuple[str, str]]:
    found = set()
    for each in statements:
        assert each["Effect"] == "Allow"
        assert set(each) <= {"Sid", "Effect", "Action", "Resource"}
        actions = each["Action"] if isinstance(each["Action"], list) else [each["Action"]]
        resources = each["Resource"] if isinstance(each["Resource"], list) else [each["Resource"]]
        found |= {(action, short(resource)) for action in actions for resource in resources}
    return found


def statements_of(function: str) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
    """What holds always, and what holds on a condition."""
    policies = properties(function)["Policies"]
    assert len(policies) == 1 and set(policies[0]) == {"Version", "Statement"}, "no managed policy, no template of one"
    always = [each for each in policies[0]["Statement"] if "If" not in each]
    on_condition = {each["If"][0]: [each["If"][1]] for each in policies[0]["Statement"] if "If" in each}
    return always, on_condition


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_may_do_what_is_listed_here_and_nothing_else(function: str) -> None:
    always, on_condition = statements_of(function)
    assert allowed(always) == ROLES[function]
    assert {name: allowed(each) for name, each in on_condition.items()} == (OPTIONAL if function == "Api" else {})


def test_no_permission_is_a_wildcard_and_none_reaches_another_account() -> None:
    for function in FUNCTIONS:
        always, on_condition = statements_of(function)
        for action, resource in allowed([*always, *(each for found in on_condition.values() for each in found)]):
            assert "*" not in action
            assert resource.removesuffix("/*") and "*" not in resource.removesuffix("/*")


def test_no_function_that_strangers_reach_can_sign_or_publish() -> None:
    for function in ("Api", "Search"):
        granted = allowed(statements_of(function)[0])
        assert not {each for each in granted if each[0] == "s3:PutObject" and "feed" in each[1]}
        assert ("ssm:GetParameter", "online-keys") not in granted


def test_every_function_runs_the_python_and_machine_that_its_package_was_built_for() -> None:
    common = template()["Globals"]["Function"]
    assert (common["Runtime"], common["Architectures"]) == (f"python{PYTHON}", ["arm64"])
    for function in FUNCTIONS:
        assert not {"Runtime", "Architectures"} & set(properties(function))
        assert re.fullmatch(r"\.\./dist/lambda/arm64/(api|search)\.zip", properties(function)["CodeUri"])
        module, _, name = properties(function)["Handler"].rpartition(".")
        assert name == "handler"
        assert (ROOT / "lambda" / f"{module.replace('.', '/')}.py").is_file()


def test_one_function_has_a_url_and_it_asks_for_tokens_itself() -> None:
    urls = {each: properties(each).get("FunctionUrlConfig") for each in FUNCTIONS}
    assert urls == {
        "Api": {"AuthType": "NONE", "InvokeMode": "BUFFERED"},
        "Search": None,
        "Ingest": None,
        "Clock": None,
    }


def test_a_setting_that_changes_is_a_new_version_of_what_is_called() -> None:
    assert template()["Globals"]["Function"]["AutoPublishAlias"] == "live"
    assert all(properties(each)["AutoPublishAliasAllProperties"] is True for each in FUNCTIONS)


def test_every_setting_in_the_template_is_one_that_the_functions_read_and_each_function_gets_its_own() -> None:
    """What has a default may be left out."""
    documented = dict(VARIABLES.findall((ROOT / "lambda/okf_edge_lambda/settings.py").read_text()))
    common = template()["Globals"]["Function"]["Environment"]["Variables"]
    required = {"OKF_SEARCH_FUNCTION", "OKF_TOKENS_PARAMETER", "OKF_AUDIT_KEY_PARAMETER", "OKF_KEYS_PARAMETER",
                "OKF_INGEST_FUNCTION"}  # fmt: skip
    for function in FUNCTIONS:
        own = properties(function).get("Environment", {}).get("Variables", {})
        given = {name for name in {**common, **own} if name.startswith("OKF_")}
        for_it = {name for name, who in documented.items() if who == "all" or function.lower() in who.split(", ")}
        assert given <= for_it, "a setting that it does not read"
        assert required & for_it <= given, "a setting that it can't do without"


def test_empty_parameters_give_settings_that_hold() -> None:
    own = properties("Api")["Environment"]["Variables"]
    empty = dict.fromkeys(own, "") | {"OKF_BUCKET": "b", "OKF_FEED_PUBLIC": "false"}
    assert settings_from(empty) == Settings(bucket="b")


def test_the_bucket_is_private_encrypted_kept_and_remembers_what_was_overwritten() -> None:
    bucket = template()["Resources"]["Bucket"]
    stated = bucket["Properties"]
    assert (bucket["DeletionPolicy"], bucket["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert set(stated["PublicAccessBlockConfiguration"].values()) == {True}
    assert stated["VersioningConfiguration"] == {"Status": "Enabled"}
    assert stated["BucketEncryption"]
    expiring = {each.get("Prefix") for each in stated["LifecycleConfiguration"]["Rules"] if "ExpirationInDays" in each}
    assert expiring == {"incoming/", "outcomes/", "ledger/", "quarantine/"}, "never feed/, served/ or models/"
    denied = template()["Resources"]["BucketPolicy"]["Properties"]["PolicyDocument"]["Statement"]
    assert denied[0]["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_every_alarm_listens_to_something_that_the_functions_count() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "lambda/okf_edge_lambda").glob("*.py"))
    alarms = {name: each["Properties"] for name, each in template()["Resources"].items() if name.endswith("Alarm")}
    ours = {name: each["MetricName"] for name, each in alarms.items() if each["Namespace"] == "okf-edge"}
    assert set(ours.values()) >= {"Quarantined", "RefreshFailed", "EndsSoon", "Defect", "Failed", "Forged"}
    assert [metric for metric in ours.values() if f'count("{metric}"' not in sources] == []
    assert all(each["AlarmActions"] for each in alarms.values())


def test_search_has_a_cap_of_its_own_with_room_for_shards() -> None:
    parameters = template()["Parameters"]
    caps = {each: properties(each)["ReservedConcurrentExecutions"]["If"][1] for each in ("Api", "Search")}
    assert caps == {"Api": {"Ref": "ConcurrencyCap"}, "Search": {"Ref": "SearchCap"}}
    assert parameters["SearchCap"]["Default"] >= 3 * parameters["ConcurrencyCap"]["Default"]


def test_the_time_of_a_function_is_shorter_than_that_of_the_one_that_waits_for_it() -> None:
    assert properties("Search")["Timeout"] < properties("Api")["Timeout"]


def test_what_the_scanner_skips_has_a_reason_and_is_passed_to_it() -> None:
    assert all(len(reason) > 40 for reason in SKIPPED.values())
    assert ",".join(SKIPPED) in commands()[-1]


PROGRAM = """
import json, sys
from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse
from unittest.mock import MagicMock
template = yaml_parse(open(sys.argv[1]).read())
for name, each in template["Resources"].items():  # as `sam package` leaves it
    if each["Type"] == "AWS::Serverless::Function":
        each["Properties"]["CodeUri"] = "s3://b/k"
loader = MagicMock(); loader.load.return_value = {}
print(json.dumps(transform(template, {}, loader)))
"""


@pytest.fixture(scope="module")
def translated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The template as CloudFormation gets it."""
    python = SAM / "python"
    if not python.exists():
        pytest.skip("the linters of the template were not installed: make lint")
    environment = {"PATH": os.environ["PATH"], "AWS_DEFAULT_REGION": "eu-central-1"}
    command = [python, "-c", PROGRAM, str(TEMPLATE)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["Resources"]


def test_a_url_gets_both_permissions_that_it_needs(translated: Any) -> None:
    granted = [each["Properties"] for each in translated.values() if each["Type"] == "AWS::Lambda::Permission"]
    open_to_all = {each["Action"] for each in granted if each["Principal"] == "*"}
    assert open_to_all == {"lambda:InvokeFunctionUrl", "lambda:InvokeFunction"}


def test_beside_its_own_statements_a_role_writes_logs_and_traces_and_tells_failures(translated: Any) -> None:
    for function in FUNCTIONS:
        role = translated[f"{function}Role"]["Properties"]
        managed = {re.sub(r"^.*/", "", json.dumps(each).strip('"{}[] ')) for each in role["ManagedPolicyArns"]}
        assert managed == {"AWSLambdaBasicExecutionRole", "AWSXrayWriteOnlyAccess"}
        named = json.dumps([each for each in role["Policies"] if each["PolicyName"] != f"{function}RolePolicy0"])
        assert set(re.findall(r'"(sqs:\w+|[a-z0-9]+:\w+\*?)"', named)) <= {"sqs:SendMessage"}


@pytest.mark.slow
def test_sam_builds_from_the_packages_without_a_container(tmp_path: Path) -> None:
    if not (SAM / "sam").exists():
        pytest.skip("the linters of the template were not installed: make lint")
    (tmp_path / "infra").mkdir()
    (tmp_path / "dist/lambda/arm64").mkdir(parents=True)
    shutil.copy(TEMPLATE, tmp_path / "infra/template.yaml")
    for name in ("api", "search"):
        with zipfile.ZipFile(tmp_path / f"dist/lambda/arm64/{name}.zip", "w") as archive:
            archive.writestr("handler.py", "")
    environment = {**os.environ, "SAM_CLI_TELEMETRY": "0", "AWS_DEFAULT_REGION": "eu-central-1"}
    done = subprocess.run(
        [SAM / "sam", "build"], cwd=tmp_path / "infra", env=environment, capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    built = (tmp_path / "infra/.aws-sam/build/template.yaml").read_text()
    assert built.count("/dist/lambda/arm64/") == len(FUNCTIONS)
