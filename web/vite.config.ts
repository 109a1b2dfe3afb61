/** How the bundle is built, served while developing, and tested. */
import { fileURLToPath } from "node:url";

import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** Where `./webmail demo` or `up` listens. */
const gateway = "http://localhost:8080";

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: { target: "es2022", sourcemap: false, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  // The gateway refuses a foreign Origin.
  server: { proxy: { "/api": { target: gateway, changeOrigin: true, ws: true, headers: { Origin: gateway } } } },
  test: {
    environment: "jsdom",
    include: ["tests/**/*.test.{ts,tsx}"],
    setupFiles: ["tests/setup.ts"],
    testTimeout: 20_000,
    maxWorkers: "100%", // of the processors: one is not left free for whoever watches
    restoreMocks: true,
    unstubGlobals: true,
  },
});
