// The API's types from its OpenAPI document, with the document's digest, so that a test can tell stale ones.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const source = new URL("../src/api/openapi.json", import.meta.url);
const blob = ts.factory.createTypeReferenceNode("Blob");
const types = astToString(await openapiTS(source, { transform: ({ format }) => (format === "binary" ? blob : undefined) }));
const digest = createHash("sha256").update(readFileSync(source)).digest("hex");
const head = `// Made by \`npm run api\` from openapi.json ${digest}. Not to be edited.\n`;
writeFileSync(new URL("../src/api/schema.gen.d.ts", import.meta.url), head + types);
