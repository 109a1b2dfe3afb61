import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

const web = join(import.meta.dirname, "..");
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "layers-"));
  cpSync(join(web, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What the linter says of one file with one import. */
function lint(file: string, from: string): string {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `import { thing } from "${from}";\n\nexport const other = thing;\n`);
  const run = spawnSync(process.execPath, [join(web, "node_modules/oxlint/bin/oxlint"), "-c", ".oxlintrc.json", "src"], {
    cwd: folder,
    encoding: "utf8",
  });
  return run.stdout;
}

describe("the layers app → features → api, live, ui", () => {
  it.each([
    ["src/features/thread/a.ts", "@/features/threads/useRows"],
    ["src/features/thread/a.ts", "../threads/useRows"],
    ["src/features/thread/a.ts", "@/app/Shell"],
    ["src/api/a.ts", "@/features/thread/arrange"],
    ["src/live/a.ts", "@/app/Shell"],
    ["src/ui/a.ts", "@/api/keys"],
    ["src/ui/i18n/a.ts", "@/api/keys"],
  ])("refuse that %s imports %s", (file, from) => {
    expect(lint(file, from)).toContain("no-restricted-imports");
  });

  it.each([
    ["src/features/thread/a.ts", "./arrange"],
    ["src/features/thread/a.ts", "@/api/keys"],
    ["src/app/a.ts", "@/features/thread/arrange"],
  ])("allow that %s imports %s", (file, from) => {
    expect(lint(file, from)).not.toContain("no-restricted-imports");
  });
});
