/** The one action that nothing takes back is asked about first. */
import type { Target } from "@/api/acting";
import { Button } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { Sheet } from "@/ui/Sheet";

interface ConfirmDeleteProps {
  target: Target;
  onConfirm: () => void;
  onClose: () => void;
}

export default function ConfirmDelete({ target, onConfirm, onClose }: ConfirmDeleteProps) {
  const words = useWords();
  const count = target.everything ?? target.messages?.length ?? target.threads.length;
  return (
    <Sheet title={words("act.delete_title")} closeLabel={words("app.close")} onClose={onClose}>
      <p className="px-2 text-13 text-text2">{words(target.messages === undefined ? "act.delete_threads" : "act.delete_messages", { count })}</p>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>{words("accounts.cancel")}</Button>
        <Button look="danger" onClick={onConfirm}>
          {words("act.verb.delete")}
        </Button>
      </div>
    </Sheet>
  );
}
