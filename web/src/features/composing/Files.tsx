/** The files of a draft: how far each has come, and what can be done with it. */
import { Paperclip, RotateCw, X } from "lucide-react";

import { uploadAddress } from "@/api/addresses";
import { IconButton } from "@/ui/Button";
import { useBytes, useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Progress } from "@/ui/Notice";

import type { FileItem, Uploads } from "./uploads";

interface FilesProps {
  draft: string;
  items: readonly FileItem[];
  uploads: Uploads;
}

/** A picture that the text shows is no attachment to the writer, unless something is wrong with it. */
export function listed(items: readonly FileItem[]): readonly FileItem[] {
  return items.filter(({ inline, phase }) => !inline || phase === "failed" || phase === "partial");
}

export function Files({ draft, items, uploads }: FilesProps) {
  const words = useWords();
  const shown = listed(items);
  if (shown.length === 0) return null;
  return (
    <ul aria-label={words("compose.files")} className="flex flex-wrap gap-2 px-4 py-2 max-md:px-3">
      {shown.map((item) => (
        <FileRow key={item.key} draft={draft} item={item} uploads={uploads} />
      ))}
    </ul>
  );
}

function FileRow({ draft, item, uploads }: { draft: string; item: FileItem; uploads: Uploads }) {
  const words = useWords();
  const bytes = useBytes();
  const { name, size, received, phase, why } = item;
  const under = phase === "waiting" || phase === "sending";
  return (
    <li className="flex w-64 max-w-full items-center gap-2 rounded-l border border-line bg-surface py-1 pr-1 pl-3">
      <Paperclip size={15} className="shrink-0 text-text3" aria-hidden />
      <span className="min-w-0 flex-1">
        {phase === "complete" && item.upload !== null ? (
          <a href={uploadAddress(draft, item.upload)} download={name} className="block truncate text-13 font-semibold hover:underline">
            {name}
          </a>
        ) : (
          <span className="block truncate text-13 font-semibold">{name}</span>
        )}
        {under ? (
          <span className="block py-1.5">
            <Progress value={received} total={size} label={words("compose.uploading", { name })} />
          </span>
        ) : (
          <span role={phase === "failed" ? "alert" : undefined} className={phase === "complete" ? "block text-12 text-text3" : "block text-12 text-danger"}>
            {phase === "complete" && bytes(size)}
            {phase === "partial" && words("compose.partial")}
            {phase === "failed" && why !== null && (why.code === "too_large" ? words("compose.too_large") : explain(words, why))}
          </span>
        )}
      </span>
      {phase === "failed" && why?.code !== "too_large" && (
        <IconButton icon={RotateCw} label={words("compose.upload_again", { name })} onClick={() => uploads.again(item.key)} />
      )}
      <IconButton icon={X} label={words("compose.remove", { who: name })} onClick={() => void uploads.remove(item.key)} />
    </li>
  );
}
