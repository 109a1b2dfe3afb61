/** Above the text: the sender, the recipients, the subject. */
import { Forward, Maximize2, Minimize2, PenLine, Reply, ReplyAll, X } from "lucide-react";
import { type RefObject, useState } from "react";

import type { Identity, Kind } from "@/api/schema";
import { IconButton } from "@/ui/Button";
import { useWords } from "@/ui/i18n";

import { AddressField } from "./AddressField";
import type { Place } from "./Composer";
import { useDock } from "./dock";
import { useEnding } from "./ending";
import type { Keeper, Kept } from "./keeper";

const ICONS = { new: PenLine, reply: Reply, reply_all: ReplyAll, forward: Forward } as const satisfies Record<Kind, typeof Reply>;

interface HeadingProps {
  keeper: Keeper;
  kept: Kept;
  place: Place;
  identities: readonly Identity[];
  to: RefObject<HTMLInputElement | null>;
  onSender: (id: string) => void;
}

export function Heading({ keeper, kept, place, identities, to, onSender }: HeadingProps) {
  const words = useWords();
  const { draft, content } = kept;
  const [copies, setCopies] = useState(false);
  const [about, setAbout] = useState(false);
  const inline = place === "inline";
  const cc = copies || content.cc.length > 0;
  const bcc = copies || content.bcc.length > 0;
  const subject = !inline || about || draft.kind === "forward" || draft.kind === "new";
  return (
    <>
      {!inline && <TitleBar kind={draft.kind} place={place} subject={content.subject} />}
      {identities.length > 1 && <Sender identities={identities} value={content.identity_id} onChange={onSender} />}
      <AddressField
        label={words("message.to_label")}
        field={to}
        {...(inline && { icon: ICONS[draft.kind] })}
        people={content.to}
        autoFocus={content.to.length === 0}
        onChange={(people) => keeper.change({ to: people })}
      >
        <span className="flex shrink-0 gap-1">
          {!(cc && bcc) && <More label={words("compose.copies")} onClick={() => setCopies(true)} />}
          {!subject && <More label={words("message.subject")} onClick={() => setAbout(true)} />}
          {inline && <CloseButton />}
        </span>
      </AddressField>
      {cc && <AddressField label={words("message.cc")} people={content.cc} autoFocus={copies} onChange={(people) => keeper.change({ cc: people })} />}
      {bcc && <AddressField label={words("message.bcc")} people={content.bcc} onChange={(people) => keeper.change({ bcc: people })} />}
      {subject && (
        <input
          type="text"
          aria-label={words("message.subject")}
          placeholder={words("message.subject")}
          autoFocus={about}
          maxLength={2000}
          dir="auto"
          value={content.subject}
          onChange={(event) => keeper.change({ subject: event.target.value })}
          className="h-10 border-b border-line bg-transparent px-4 text-14 font-semibold outline-none placeholder:text-13 placeholder:font-normal max-md:h-11 max-md:px-3 max-md:text-16"
        />
      )}
    </>
  );
}

function TitleBar({ kind, place, subject }: { kind: Kind; place: Place; subject: string }) {
  const words = useWords();
  const dock = useDock();
  const Icon = ICONS[kind];
  return (
    <div className="flex h-10 shrink-0 items-center gap-2 border-b border-line pr-1 pl-4 max-md:h-12 max-md:px-1 max-md:pl-3">
      <Icon size={15} strokeWidth={1.75} className="shrink-0 text-text2" aria-hidden />
      <h2 className="min-w-0 flex-1 truncate text-13 font-semibold">
        {subject === "" ? words(`compose.kind.${kind}`) : subject}
      </h2>
      {place === "dock" && (
        <IconButton icon={dock.large ? Minimize2 : Maximize2} label={words(dock.large ? "compose.smaller" : "compose.larger")} onClick={dock.resize} />
      )}
      <CloseButton />
    </div>
  );
}

function CloseButton() {
  const words = useWords();
  const { close } = useEnding();
  return <IconButton icon={X} label={words("compose.close")} hint="Esc" className="-my-0.5" onClick={close} />;
}

function Sender({ identities, value, onChange }: { identities: readonly Identity[]; value: string; onChange: (id: string) => void }) {
  const words = useWords();
  return (
    <label className="flex items-center gap-2 border-b border-line px-4 max-md:px-3">
      <span className="w-10 shrink-0 text-13 text-text3">{words("message.from")}</span>
      <select
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="h-9 min-w-0 flex-1 bg-transparent text-14 max-md:h-11 max-md:text-16 [&>option]:bg-raised"
      >
        {identities.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name === "" ? one.email : `${one.name} <${one.email}>`}
          </option>
        ))}
      </select>
    </label>
  );
}

function More({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" onClick={onClick} className="target h-7 rounded-s px-1.5 text-13 text-text2 hover:text-text hover:underline">
      {label}
    </button>
  );
}
