/** Starts the client. */
import "@/ui/tokens.css";

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { languageOfBrowser, loadLanguage } from "@/ui/i18n";
import { rememberedTheme, showTheme } from "@/ui/theme";

import { App } from "./App";
import { createCache } from "./cache";

showTheme(rememberedTheme());
void loadLanguage(languageOfBrowser());

const root = document.querySelector("#root");
if (root === null) throw new Error("the page has no #root");
createRoot(root).render(
  <StrictMode>
    <App cache={createCache()} />
  </StrictMode>,
);
