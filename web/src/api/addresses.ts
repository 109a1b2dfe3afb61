/** Addresses of what the browser loads by itself: frames, images, downloads. */
import type { Attachment, Message } from "./schema";

export function frameAddress(message: Message, theme: "light" | "dark", remote: boolean): string {
  const query = new URLSearchParams({ v: String(message.sanitizer_version), theme, remote: remote ? "1" : "0" });
  return `/api/messages/${encodeURIComponent(message.id)}/html?${query}`;
}

export function attachmentAddress(attachment: Attachment, inline: boolean): string {
  return `/api/attachments/${encodeURIComponent(attachment.id)}?inline=${inline ? 1 : 0}`;
}

export function rawAddress(message: Message): string {
  return `/api/messages/${encodeURIComponent(message.id)}/raw`;
}

export function emlAddress(message: string): string {
  return `/api/messages/${encodeURIComponent(message)}/eml`;
}

export function zipAddress(message: string): string {
  return `/api/messages/${encodeURIComponent(message)}/attachments.zip`;
}

export function printAddress(thread: string): string {
  return `/api/threads/${encodeURIComponent(thread)}/print`;
}

export function uploadAddress(draft: string, upload: string): string {
  return `/api/drafts/${encodeURIComponent(draft)}/attachments/${encodeURIComponent(upload)}`;
}
