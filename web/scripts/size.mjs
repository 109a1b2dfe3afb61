/** Fails when what a first visit loads is larger than web.md §5 allows: 160 KB of script, 25 KB of style, gzipped. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const limits = { js: 160, css: 25 };
const dist = new URL("../dist/", import.meta.url);
const page = readFileSync(new URL("index.html", dist), "utf8");
const first = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(js|css))"/gu)];

let failed = first.length === 0;
for (const [kind, limit] of Object.entries(limits)) {
  const files = first.filter((match) => match[2] === kind);
  const bytes = files.reduce((sum, [, path]) => sum + gzipSync(readFileSync(new URL(path, dist)), { level: 9 }).length, 0);
  const size = bytes / 1024;
  failed ||= size > limit || files.length === 0;
  process.stdout.write(`${kind}: ${size.toFixed(1)} KB gzipped in ${files.length} file(s), limit ${limit} KB\n`);
}
process.exitCode = failed ? 1 : 0;
