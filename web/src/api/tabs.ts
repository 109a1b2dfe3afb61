/** The other tabs of this browser, who are asked to save before somebody signs out, and told when somebody has. */
import * as z from "zod/mini";

import { saveHere } from "./session";

const word = z.object({ say: z.enum(["save", "saving", "saved", "unsaved", "left"]), tab: z.string(), to: z.string() });
type Word = z.infer<typeof word>;

const ME = crypto.randomUUID();
const EVERYBODY = "";
/** Milliseconds in which a tab that is there says so, and which it may take to save. */
const HEARD = 400;
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
  return listen(({ say, tab }) => {
    if (say === "left") left();
    else if (say === "save") {
      tell("saving", tab);
      void saveHere(PATIENCE).then((saved) => tell(saved ? "saved" : "unsaved", tab));
    }
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

async function saveElsewhere(): Promise<boolean> {
  const waiting = new Set<string>();
  const answers: Word["say"][] = [];
  return new Promise((resolve) => {
    const end = () => {
      for (const timer of timers) clearTimeout(timer);
      unlisten();
      resolve(waiting.size === 0 && answers.every((answer) => answer === "saved"));
    };
    const unlisten = listen(({ say, tab }) => {
      if (say === "saving") waiting.add(tab);
      else if (waiting.delete(tab)) answers.push(say);
    });
    const look = () => {
      if (waiting.size === 0) end();
    };
    const timers = [setInterval(look, HEARD), setTimeout(end, PATIENCE)];
    tell("save");
  });
}
