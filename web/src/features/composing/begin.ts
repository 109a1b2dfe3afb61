/** How a draft begins, and where the address says that it is open. */
import { navigate } from "wouter/use-browser-location";

import { type Beginning, withDraft } from "@/api/composing";
import type { Content } from "@/api/drafts";
import type { Draft, Kind, NewDraft } from "@/api/schema";
import { htmlOf } from "@/ui/editor/plain";

/** What was written in a draft that is gone, as another one. */
export interface Again {
  instead: string;
  identity: string | null;
  kind: Kind;
  /** That it answers, unless it is a new one. */
  message: string | null;
  content: Content;
}

type Made = Exclude<Beginning, { draft: string }> | Again;

export function wishOf(what: Made): NewDraft {
  const wish: NewDraft = { kind: "new", account_id: null, identity_id: null, message_id: null, as_attachment: false, to: [] };
  if ("elsewhere" in what) return { ...wish, message_id: what.elsewhere };
  if ("instead" in what) return { ...wish, kind: what.kind, identity_id: what.identity, message_id: what.message };
  if (what.kind === "new") return { ...wish, account_id: what.account ?? null, to: what.to ?? [] };
  return { ...wish, kind: what.kind, message_id: what.message, as_attachment: what.asAttachment ?? false };
}

/** What stands in it from the beginning, beside what the gateway knows. */
export function presetOf(what: Made): Partial<Content> | null {
  if ("instead" in what) {
    const { to, cc, bcc, subject, html, plain, quote } = what.content;
    return { to, cc, bcc, subject, html, plain, ...(what.kind !== "new" && { quote }) };
  }
  if ("elsewhere" in what || what.kind !== "new" || (what.subject === undefined && what.text === undefined)) return null;
  const { subject, text } = what;
  return {
    ...(subject !== undefined && { subject }),
    ...(text !== undefined && { html: htmlOf(text) }),
  };
}

/** Whoever answers what they are answering already goes on with that. */
export function isSameAnswer(what: Beginning, draft: Draft): boolean {
  if ("draft" in what) return what.draft === draft.id;
  return !("elsewhere" in what) && what.kind !== "new" && what.kind === draft.kind && what.message === draft.source_message_id;
}

export function openHere(draft: string): void {
  const kept: unknown = history.state;
  const another = new URLSearchParams(location.search).has("compose");
  const composed = !another || isComposed(kept);
  navigate(withDraft(here(), draft), { replace: another, state: { ...(typeof kept === "object" ? kept : null), composed } });
}

/** Back to the page as it was, so that going back does not open it again. */
export function closeHere(): void {
  if (isComposed(history.state)) history.back();
  else navigate(withDraft(here(), null), { replace: true, state: history.state as unknown });
}

function here(): string {
  return location.pathname + location.search;
}

function isComposed(state: unknown): boolean {
  return typeof state === "object" && state !== null && "composed" in state && state.composed === true;
}
