import { describe, expect, test } from "vitest";
import { type JobSpec, readJobSpec } from "./job-spec.ts";
import { Fault, orFault } from "./lines.ts";
import { parseSubmit } from "./submit-file.ts";

const NODE = "proc_000007";
const AT = { cluster: 123, retry: 1, cwd: "/run/mg_000000", priority: 0 };

function read(text: string, files: Record<string, string> = {}, vars: [string, string][] = []) {
  const readInclude = (path: string): string => {
    if (files[path] === undefined) throw new Fault(`can't open file ${path}`);
    return files[path];
  };
  return orFault(() => readJobSpec(parseSubmit(text, "x.sub", [["JOB", NODE], ...vars], readInclude), NODE, AT));
}
function spec(text: string, files: Record<string, string> = {}, vars: [string, string][] = []): JobSpec {
  const result = read(text, files, vars);
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

const PROC = `# proc.sub
universe = vanilla
executable = ../bin/run.sh
arguments = processing $(JOB)
transfer_input_files = ../payload/,manifest.json
should_transfer_files = YES
transfer_output_files = report.json
transfer_output_remaps = "report.json=$(JOB).$(Cluster).report.json"
output = $(JOB).$(Cluster).out
error = $(JOB).$(Cluster).err
log = group.log
request_memory = $($(JOB)_memory:2048)
My.MaxWallTimeMins = $($(JOB)_wall_minutes:480)
My.WMS2_Request = "muons"
ulog_execute_attrs = GLIDEIN_CMSSite
periodic_hold = (JobStatus==2) && (MemoryUsage > RequestMemory*1.2)
include : group.inc
queue
`;

describe("a submit file", () => {
  test("as docs/submit-directory.md has it", () => {
    expect(spec(PROC, { "group.inc": 'My.DESIRED_Sites = "A,B"\n' })).toMatchObject({
      executable: "/run/mg_000000/../bin/run.sh",
      arguments: ["processing", "proc_000007"],
      inputs: ["/run/mg_000000/../payload/", "/run/mg_000000/manifest.json"],
      outputs: ["report.json"],
      remaps: { "report.json": "proc_000007.123.report.json" },
      stdout: "/run/mg_000000/proc_000007.123.out",
      log: "/run/mg_000000/group.log",
      transfers: true,
      memoryMb: 2048,
      wallMinutes: 480,
      desiredSites: ["A", "B"],
      bannedSites: [],
      ulogAttributes: ["GLIDEIN_CMSSite"],
    });
  });

  test("an include further down changes what stands above it: values are expanded at queue", () => {
    const inc = 'proc_000007_memory = 3072\nproc_000008_memory = 1\nMy.BANNED_Sites = "A"\n';
    expect(spec(PROC, { "group.inc": inc })).toMatchObject({ memoryMb: 3072, desiredSites: null, bannedSites: ["A"] });
  });

  test.each([
    ["a b  c", ["a", "b", "c"]],
    ['a\\"b c', ['a"b', "c"]],
    ["\"one 'two words' it''s\"", ["one", "two words", "its"]],
    ['"-c \'echo ""hi""; it\'\'s\'"', ["-c", 'echo "hi"; it\'s']],
    ["\"'' x\"", ["", "x"]],
    ["", []],
  ])("arguments = %s", (text, words) => {
    expect(spec(`executable = /bin/x\narguments = ${text}\nqueue\n`).arguments).toEqual(words);
  });

  test("VARS come first, the file has the last word; own value may be extended", () => {
    const text =
      "executable = /bin/x\nb = file\nc = $(c) more\narguments = $(a) $(b) $(c) $(none:dflt) $(none)\nqueue\n";
    expect(
      spec(text, {}, [
        ["a", "var"],
        ["b", "var"],
        ["c", "one"],
      ]).arguments,
    ).toEqual(["var", "file", "one", "more", "dflt"]);
  });

  test("attributes reach the job ad, in both spellings; $$() stays for matchmaking", () => {
    const text = 'executable = /bin/x\n+A = 5\nMy.B = "x $(JOB)"\nMy.C = "$$(Site:none)"\nqueue\n';
    expect(spec(text).attributes).toEqual([
      ["A", "5"],
      ["B", '"x proc_000007"'],
      ["C", '"$$(Site:none)"'],
    ]);
  });

  test.each([
    ["executable = /bin/x\n", "no queue"],
    ["queue\n", "executable"],
    ["executable = /bin/x\nqueue 5\n", "one job per node"],
    ["executable = /bin/x\ninclude : nosuch.inc\nqueue\n", "nosuch.inc"],
    ["executable = /bin/x\nuniverse = grid\nqueue\n", "universe grid"],
    ["executable = /bin/x\nmax_retries = 3\nqueue\n", "max_retries"],
    ["executable = /bin/x\narguments = $ENV(HOME)\nqueue\n", "$ENV()"],
    ["executable = $(executable2)\nexecutable2 = $(executable)\nqueue\n", "never end"],
    ["executable = /bin/x\nrequest_memory = lots\nqueue\n", "lots"],
    ["executable = /bin/x\nrequest_cpus = 1+1\nqueue\n", "request_cpus"],
    ["executable = /bin/x\ntransfer_input_files = http://a/b\nqueue\n", "http://a/b"],
    ['executable = /bin/x\narguments = "open\nqueue\n', "closing"],
    ["executable = /bin/x\nif true\nqueue\n", "cannot read"],
    ['executable = /bin/x\nenvironment = "A=1"\nqueue\n', "environment is not supported"],
    ["executable = /bin/x\nrequest_memory = 2 GB\nqueue\n", "2 GB"],
    ["executable = /bin/x\narguments = $(open\nqueue\n", "open $("],
    ["executable = /bin/x\narguments = $$(open\nqueue\n", "open $("],
  ])("refuses %j", (text, words) => {
    const result = read(text);
    expect(result.ok ? "" : result.error).toContain(words);
  });
});
