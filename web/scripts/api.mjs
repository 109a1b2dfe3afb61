// The API's types from its OpenAPI document, with the document's digest, so that a test can tell stale ones.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const source = new URL("../src/api/openapi.json", import.meta.url);
const types = astToString(await openapiTS(source));
const digest = createHash("sha256").update(readFileSync(source)).digest("hex");
const head = `// Made by \`npm run api\` from openapi.json ${digest}. Not to be edited.\n`;
writeFileSync(new URL("../src/api/schema.gen.d.ts", import.meta.url), head + types);
