/** Asks for a time that is to come, in the reader's own time zone. */
import { type FormEvent, useState } from "react";

import { Button } from "./Button";
import { Field } from "./Field";
import { useWords, useZone } from "./i18n";
import { fieldOf, readField, tomorrowMorning } from "./i18n/moments";
import { Sheet } from "./Sheet";

interface TimeSheetProps {
  title: string;
  label: string;
  onClose: () => void;
  onChoose: (at: Date) => void;
}

export function TimeSheet({ title, label, onClose, onChoose }: TimeSheetProps) {
  const words = useWords();
  const tz = useZone();
  const [text, setText] = useState(() => fieldOf(tomorrowMorning(new Date(), tz), tz));
  const [past, setPast] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const at = readField(text, tz);
    if (at === null || at.getTime() <= Date.now()) setPast(true);
    else onChoose(at);
  };
  return (
    <Sheet title={title} closeLabel={words("app.close")} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3 px-2">
        <Field
          type="datetime-local"
          required
          label={words("compose.when")}
          hint={words("compose.zone", { tz: tz.replaceAll("_", " ") })}
          error={past ? words("compose.past") : undefined}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setPast(false);
          }}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{words("accounts.cancel")}</Button>
          <Button type="submit" look="primary">
            {label}
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
