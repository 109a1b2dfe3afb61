/** The body of an open message: fetched if the conversation gave only its envelope. */
import { useQuery } from "@tanstack/react-query";

import { message as messageQuery } from "@/api/queries";
import type { Message } from "@/api/schema";
import { Button } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { Notice } from "@/ui/Notice";

import { Attachments } from "./Attachments";
import { nameOf, authorOf } from "./author";
import { MessageFrame } from "./MessageFrame";
import { PlainText } from "./PlainText";
import { RemoteImagesBar } from "./RemoteImagesBar";
import { useRemoteImages } from "./useRemoteImages";

export function MessageBody({ message }: { message: Message }) {
  const words = useWords();
  const { data, isError, refetch } = useQuery({ ...messageQuery(message.id), enabled: !message.expanded });
  const whole = message.expanded ? message : data;

  if (whole !== undefined) return <WholeBody message={whole} />;
  return (
    <div className="px-4 pb-4 pl-15 max-md:pl-4">
      {isError ? (
        <Notice tone="danger">
          <span className="mr-3">{words("message.error")}</span>
          <Button onClick={() => void refetch()}>{words("app.retry")}</Button>
        </Notice>
      ) : (
        <p aria-busy className="text-13 text-text3">
          {words("message.loading")}
        </p>
      )}
    </div>
  );
}

function WholeBody({ message }: { message: Message }) {
  const words = useWords();
  const images = useRemoteImages(message);
  const what = message.warnings.join(", ");
  return (
    <div className="flex flex-col gap-2 pt-1 pb-4">
      <div className="flex flex-col gap-2 pr-4 pl-15 empty:hidden max-md:pl-4">
        {what !== "" && <Notice tone="warn">{words("message.warnings", { what })}</Notice>}
        {images.blocked && <RemoteImagesBar message={message} images={images} />}
      </div>
      {message.has_html ? (
        <MessageFrame message={message} remote={images.shown} title={words("message.body", { name: nameOf(authorOf(message)) })} />
      ) : (
        <PlainText text={message.text ?? ""} />
      )}
      <Attachments message={message} />
    </div>
  );
}
