/** The other tabs of this browser, who are asked to save before somebody signs out, and told when somebody has. */
import * as z from "zod/mini";

import { saveHere } from "./session";

const word = z.object({ say: z.enum(["save", "saved", "unsaved", "left"]), tab: z.string(), to: z.string() });
type Word = z.infer<typeof word>;

const ME = crypto.randomUUID();
const EVERYBODY = "";
const HERE = "webmail.tab.";
/** Milliseconds that saving may take. */
const PATIENCE = 5_000;

let channel: BroadcastChannel | undefined;

function tabs(): BroadcastChannel {
  channel ??= new BroadcastChannel("webmail.tabs");
  return channel;
}

function tell(say: Word["say"], to = EVERYBODY): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel's has none
  tabs().postMessage({ say, tab: ME, to } satisfies Word);
}

/** Words for this tab. */
function listen(hear: (said: Word) => void): () => void {
  const heard = ({ data }: MessageEvent<unknown>) => {
    const read = word.safeParse(data);
    if (read.success && (read.data.to === EVERYBODY || read.data.to === ME)) hear(read.data);
  };
  tabs().addEventListener("message", heard);
  return () => tabs().removeEventListener("message", heard);
}

/** Does what the others ask for. */
export function answerTabs(left: () => void): () => void {
  stay();
  return listen(({ say, tab }) => {
    if (say === "left") left();
    else if (say === "save") void saveHere(PATIENCE).then((saved) => tell(saved ? "saved" : "unsaved", tab));
  });
}

export function tellLeft(): void {
  tell("left");
}

/** Whether all that is being written in this browser is saved. */
export async function saveEverywhere(): Promise<boolean> {
  const [here, elsewhere] = await Promise.all([saveHere(PATIENCE), saveElsewhere()]);
  return here && elsewhere;
}

/** Only what another tab says itself counts: one that the browser has put to sleep had saved long before. */
async function saveElsewhere(): Promise<boolean> {
  const waiting = new Set(await others());
  const answers: Word["say"][] = [];
  if (waiting.size === 0) return true;
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      unlisten();
      resolve(answers.every((answer) => answer === "saved"));
    };
    const timer = setTimeout(end, PATIENCE + 1_000);
    const unlisten = listen(({ say, tab }) => {
      if (waiting.delete(tab)) answers.push(say);
      if (waiting.size === 0) end();
    });
    tell("save");
  });
}

/** Each tab holds a lock for as long as it is there. */
async function others(): Promise<string[]> {
  if (!("locks" in navigator)) return [];
  const { held = [] } = await navigator.locks.query();
  return held.flatMap(({ name }) => (name?.startsWith(HERE) === true && name !== HERE + ME ? [name.slice(HERE.length)] : []));
}

function stay(): void {
  if (!("locks" in navigator)) return;
  void navigator.locks.request(HERE + ME, { ifAvailable: true }, async (lock) => (lock === null ? undefined : new Promise(() => undefined)));
}
