/** Writes a .br and a .gz beside every text file of the bundle, so that the gateway never compresses. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const text = /\.(?:js|css|html|svg|json|webmanifest)$/u;
const folder = new URL("../dist/", import.meta.url).pathname;

for (const name of readdirSync(folder, { recursive: true })) {
  if (!text.test(name)) continue;
  const path = join(folder, name);
  const bytes = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
