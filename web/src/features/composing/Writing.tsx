/** The composer itself: whom, what about, the text, the files, and what can be done with all of it. */
import { type ChangeEvent, type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";

import { uploadAddress } from "@/api/addresses";
import type { Identity } from "@/api/schema";
import { classes } from "@/ui/classes";
import { FormatBar } from "@/ui/editor/FormatBar";
import { type Take, withTaken } from "@/ui/editor/embedded";
import { isBlank } from "@/ui/editor/plain";
import { insertPictures, RichText } from "@/ui/editor/RichText";
import { asStored, type Squire } from "@/ui/editor/squire";
import { useWords } from "@/ui/i18n";
import { useToast } from "@/ui/Toast";

import { Actions } from "./Actions";
import type { Place } from "./Composer";
import type { Desk } from "./desks";
import { useEnding } from "./ending";
import { Files } from "./Files";
import { Heading } from "./Heading";
import { Notices } from "./Notices";
import { Original } from "./Original";
import { PlainField } from "./PlainField";
import { begun, exchanged, turned } from "./signature";
import { useWatched } from "./store";
import { problemOf, type Problem, useSend } from "./useSend";

/** Seconds that it is said what could not be taken along. */
const LEFT_OUT = 30;

interface WritingProps {
  desk: Desk;
  place: Place;
  identities: readonly Identity[];
}

export function Writing({ desk, place, identities }: WritingProps) {
  const words = useWords();
  const toast = useToast();
  const { keeper, uploads, pictures } = desk;
  const kept = useWatched(keeper.state);
  const items = useWatched(uploads.items);
  const { ready, close, discard, sent } = useEnding();
  const [editor, setEditor] = useState<Squire | null>(null);
  /** Counts what the composer itself put in place of the text. */
  const [own, setOwn] = useState(0);
  /** What it begins with is in it. */
  const [begunYet, setBegun] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [dropping, setDropping] = useState(false);
  const to = useRef<HTMLInputElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const whole = useRef<HTMLElement>(null);
  const sending = useSend(desk, sent);
  const { draft, content } = kept;
  const sender = identities.find(({ id }) => id === content.identity_id);
  const locked = kept.saving === "closed" || kept.newer !== null;

  const picture = (files: readonly File[]) =>
    uploads.add(files, true).flatMap(({ cid, name }, index) => {
      const file = files[index];
      if (cid === null || file === undefined) return [];
      const address = URL.createObjectURL(file);
      pictures.set(cid, address);
      return [{ cid, address, name }];
    });
  /** What stands in the text itself would go out with it, and many readers would not show it. */
  const embedded: Take = (files) => {
    const taken = files.map((file) => (file !== null && uploads.fits(file) ? (picture([file])[0] ?? null) : null));
    const count = taken.filter((one) => one === null).length;
    if (count > 0) toast({ text: words("compose.left_out", { count }), tone: "danger", seconds: LEFT_OUT });
    return taken;
  };
  const signatureOf = ({ signature }: Identity, plain: boolean) => (plain ? signature : asStored(withTaken(signature, embedded)));

  // A draft that nobody has written in begins with its sender's signature.
  useEffect(() => {
    const { draft: first, content: empty } = keeper.get();
    setBegun(true);
    if (first.revision > 0 || first.outbox_id !== null || !isBlank(empty.html) || sender === undefined || sender.signature === "") return;
    keeper.change({ html: begun(signatureOf(sender, empty.plain), empty.plain) }, true);
    setOwn((count) => count + 1);
    // oxlint-disable-next-line react/exhaustive-deps -- once, for the sender that it begins with
  }, [keeper]);

  // Below a long conversation all of it comes into view.
  useEffect(() => {
    if (!begunYet) return;
    whole.current?.scrollIntoView({ block: "nearest" });
    ready();
  }, [begunYet, ready]);

  const send = (due: Date | null, anyway = false) => {
    const found = problemOf(desk);
    if (found !== null && !(anyway && found === "file")) {
      setProblem(found);
      if (found !== "file") to.current?.focus();
      return;
    }
    setProblem(null);
    if (!sending.isPending) sending.mutate({ due });
  };
  const attach = (files: readonly File[]) => {
    setProblem(null);
    uploads.add(files, false);
  };
  const addressOf = (cid: string) => {
    const upload = uploads.items.get().find((item) => item.cid === cid)?.upload ?? null;
    return pictures.get(cid) ?? (upload === null ? undefined : uploadAddress(draft.id, upload));
  };
  const changeSender = (id: string) => {
    const next = identities.find((one) => one.id === id);
    if (next === undefined) return;
    keeper.change({ identity_id: id, html: exchanged(content.html, sender?.signature ?? "", signatureOf(next, content.plain), content.plain) });
    setOwn(own + 1);
  };
  const turn = () => {
    keeper.change({ plain: !content.plain, html: turned(content.html, !content.plain) });
    setOwn(own + 1);
  };
  const drop = (event: DragEvent) => {
    const files = [...event.dataTransfer.files];
    setDropping(false);
    if (files.length === 0 || locked) return;
    event.preventDefault();
    event.stopPropagation();
    const shown = editor !== null && event.target instanceof Node && editor.getRoot().contains(event.target);
    const images = shown ? files.filter(({ type }) => type.startsWith("image/")) : [];
    if (editor !== null) insertPictures(editor, picture(images));
    attach(files.filter((file) => !images.includes(file)));
  };
  const paste = (event: React.ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    // Pictures alone go into the text, where there is one that can show them: the editor does that.
    const rest = content.plain ? files : files.filter(({ type }) => !type.startsWith("image/"));
    if (rest.length === 0 || event.clipboardData.types.includes("text/html")) return;
    event.preventDefault();
    event.stopPropagation();
    attach(files);
  };
  const press = (event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      send(null);
    } else if (event.key === "Escape") {
      event.preventDefault();
      close();
    }
  };
  const edition = kept.edition + own;
  const writesFirst = content.to.length > 0;

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- what its fields don't take themselves: keys, files
    <section
      ref={whole}
      data-keys="none"
      data-composer={draft.id}
      aria-label={words(`compose.kind.${draft.kind}`)}
      onKeyDown={press}
      onPasteCapture={paste}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setDropping(true);
      }}
      onDragLeave={(event) => {
        if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) setDropping(false);
      }}
      onDropCapture={drop}
      className={classes(
        "relative flex min-h-0 flex-col bg-raised",
        place === "inline" && "scroll-mb-4 rounded-l border border-line",
        place === "dock" && "flex-1",
        place === "page" && "min-h-full",
      )}
    >
      <Heading keeper={keeper} kept={kept} place={place} identities={identities} to={to} onSender={changeSender} />
      <div className={classes("flex flex-col", place === "dock" && "scroll min-h-0 flex-1 overflow-y-auto", place === "page" && "flex-1")}>
        {content.plain ? (
          <PlainField
            label={words("compose.text")}
            html={content.html}
            edition={edition}
            autoFocus={writesFirst}
            className={classes("px-4 py-3 max-md:px-3", place !== "inline" && "flex-1")}
            onChange={(html) => keeper.change({ html })}
          />
        ) : (
          <RichText
            label={words("compose.text")}
            html={content.html}
            edition={edition}
            autoFocus={writesFirst}
            pictures={addressOf}
            onPictures={picture}
            onEmbedded={embedded}
            onEditor={setEditor}
            className={classes("px-4 py-3 max-md:px-3 max-md:text-16", place !== "inline" && "flex-1")}
            onChange={(html) => keeper.change({ html })}
          />
        )}
        {draft.quoted !== null && <Original quoted={draft.quoted} quote={content.quote} onQuote={(quote) => keeper.change({ quote })} />}
        <Files draft={draft.id} items={items} uploads={uploads} />
      </div>
      <Notices
        kept={kept}
        files={items.length > 0}
        problem={problem}
        error={sending.error}
        onChoose={(which) => keeper.choose(which)}
        onSendAnyway={() => send(null, true)}
        onAttach={() => picker.current?.click()}
        onClose={close}
      />
      <Actions
        kept={kept}
        sending={sending.isPending}
        locked={locked}
        onSend={send}
        onAttach={() => picker.current?.click()}
        onPlain={turn}
        onDiscard={() => discard(draft.id)}
        format={content.plain ? null : <FormatBar editor={editor} />}
        place={place}
      />
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event: ChangeEvent<HTMLInputElement>) => {
          attach([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      {dropping && (
        <div className="pointer-events-none absolute inset-1 z-20 flex items-center justify-center rounded-l border-2 border-dashed border-accent bg-raised/90 text-14 font-semibold">
          {words("compose.drop")}
        </div>
      )}
    </section>
  );
}
