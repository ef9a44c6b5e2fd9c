import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { sampleCluster, sendJson, TestServer } from "@bowline/client/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { runBowline } from "../../testing/run-bowline.ts";

let server: TestServer;
let folder: string;
let environment: Record<string, string>;

beforeAll(async () => {
  server = await TestServer.start((_request, response) =>
    sendJson(response, 200, {
      metadata: { resourceVersion: "1", total: 2 },
      items: [sampleCluster("prod-eu"), sampleCluster("prod-us"), sampleCluster("dev")],
    }),
  );
  folder = await mkdtemp(join(tmpdir(), "bowline-completion-"));
  const config = join(folder, "config.yaml");
  await writeFile(config, `contexts:\n  - {name: "localhost:8443", server: "${server.url}", token: t}\n`);
  environment = { BOWLINE_CONFIG: config, BOWLINE_CONTEXT: "localhost:8443" };
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** The values that are suggested for a line that ends at the cursor. */
async function suggestions(line: string): Promise<string[]> {
  const { out } = await runBowline(["__complete", line], { environment });
  return out.split("\n").flatMap((each) => (each === "" ? [] : [each.split("\t")[0] ?? ""]));
}

describe("what may follow on a line", () => {
  test.each([
    ["bowline who", ["whoami"]],
    ["DEBUG=1 bowline who", ["whoami"]],
    ["bowline token ", ["create", "list", "revoke", "delete"]],
    ["bowline help comp", ["completion"]],
    ["bowline completion ", ["bash", "zsh", "fish"]],
    ["bowline audit --ou", ["--outcome", "--output"]],
    ["bowline audit -o ", ["table", "wide", "json", "yaml"]],
    ["bowline audit --output=j", ["--output=json"]],
    ["bowline audit --kind c", ["clusters", "configsources", "credentials"]],
    ["bowline whoami --context ", ["localhost:8443"]],
    ["bowline whoami --token-file ", [":files"]],
    ["bowline get cl", ["clusters"]],
    ["bowline get clusters prod", ["prod-eu", "prod-us"]],
    ["bowline get cl/d", ["cl/dev"]],
    ["bowline get -l 'env in (a, b)' clusters d", ["dev"]],
    ["bowline describe cluster/dev ", []],
    ["bowline graph pa", ["path"]],
    ["bowline graph uses --cluster prod", ["prod-eu", "prod-us"]],
    ["bowline graph uses sec", ["secret/"]],
    ["bowline graph uses zz/shop/", []],
    ["bowline graph path svc/shop/web rolebi", ["rolebinding/"]],
    ["bowline graph audit --severity h", ["high"]],
    ["bowline search x --kind rolebi", ["rolebinding"]],
    ["bowline explain cluster.spec.re", ["cluster.spec.region"]],
    ["bowline context use ", ["localhost:8443"]],
    ["bowline nonsense ", []],
  ])("%s", async (line, expected) => {
    expect(await suggestions(line)).toEqual(expected);
  });

  test("every command, with what it does, and none that is hidden", async () => {
    const { out } = await runBowline(["__complete", "bowline "], { environment });
    expect(out).toContain("login\tSign in to a server and remember it\n");
    expect(out).not.toContain("__complete");
  });

  test("nothing, and an error that no shell shows, when the server cannot be asked", async () => {
    const { out, error } = await runBowline(["__complete", "bowline get clusters "], {
      environment: { BOWLINE_CONFIG: join(folder, "none.yaml") },
    });
    expect(out).toBe("");
    expect(error).toContain("not logged in");
  });
});

const main = fileURLToPath(new URL("../../main.ts", import.meta.url));

function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Runs a script in a shell in which `bowline` is this source tree. */
async function inShell(shell: string, args: readonly string[]): Promise<string[]> {
  const program = join(folder, "bowline");
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, { mode: 0o755 });
  const env = { ...process.env, ...environment, PATH: `${folder}:${process.env["PATH"]}`, HOME: folder };
  const { stdout } = await promisify(execFile)(shell, args, { env, cwd: folder });
  return stdout.split("\n").filter((line) => line !== "");
}

const cases: readonly [line: string, expected: readonly string[]][] = [
  ["bowline whoa", ["whoami"]],
  ["bowline get clusters prod", ["prod-eu", "prod-us"]],
  ["bowline whoami --context localhost:8", ["localhost:8443"]],
];

describe("bash", () => {
  /** Does as bash before it calls the function, down to the words it breaks at = and :. */
  const ask = (line: string): string => `
    source <(bowline completion bash)
    COMP_LINE=${JSON.stringify(line)}; COMP_POINT=\${#COMP_LINE}
    read -ra COMP_WORDS <<< "$(sed -E 's/([=:])/ \\1 /g' <<< "$COMP_LINE")"
    [[ $COMP_LINE == *' ' ]] && COMP_WORDS+=("")
    COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
    complete -p bowline >/dev/null && _bowline 2>/dev/null
    printf '%s\\n' "\${COMPREPLY[@]}"`;

  test.each([
    ["bowline whoa", ["whoami"]],
    ["bowline get clusters prod", ["prod-eu", "prod-us"]],
    ["bowline whoami --context localhost:8", ["8443"]],
    ["bowline audit --output=", ["table", "wide", "json", "yaml"]],
  ])("completes %s", async (line, expected) => {
    expect(await inShell("bash", ["--norc", "-c", ask(line)])).toEqual(expected);
  });
});

describe.skipIf(!isInstalled("fish"))("fish", () => {
  test.each(cases)("completes %s", async (line, expected) => {
    const script = `bowline completion fish | source; complete -C ${JSON.stringify(line)}`;
    const lines = await inShell("fish", ["--no-config", "-c", script]);
    expect(lines.map((each) => each.split("\t")[0])).toEqual(expected);
  });
});

describe.skipIf(!isInstalled("zsh"))("zsh", () => {
  /** The completion system of zsh works only at a prompt, so what it would show is caught on its way there. */
  const ask = (line: string): string => `
    autoload -Uz compinit && compinit -u -d ${JSON.stringify(join(folder, "zcompdump"))}
    source <(bowline completion zsh)
    [[ $_comps[bowline] == _bowline ]] || exit 1
    _describe() { print -rl -- "\${(@P)4}" }
    line=${JSON.stringify(line)}
    words=(\${(z)line}); CURRENT=$#words; PREFIX=$words[CURRENT]
    _bowline`;

  test.each(cases)("completes %s", async (line, expected) => {
    const lines = await inShell("zsh", ["-f", "-c", ask(line)]);
    expect(lines.map((each) => each.replace(/(?<!\\):.*$/, "").replaceAll("\\:", ":"))).toEqual(expected);
  });
});
