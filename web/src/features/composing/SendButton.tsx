/** Sends now, or at a time that is chosen. */
import { ChevronDown, Clock } from "lucide-react";
import { useState } from "react";

import { Button } from "@/ui/Button";
import { useDates, useWords, useZone } from "@/ui/i18n";
import { mondayMorning, tomorrowMorning } from "@/ui/i18n/moments";
import { Menu, MenuItem } from "@/ui/Menu";
import { TimeSheet } from "@/ui/TimeSheet";

interface SendButtonProps {
  sending: boolean;
  locked: boolean;
  /** Null: now. */
  onSend: (due: Date | null) => void;
}

export function SendButton({ sending, locked, onSend }: SendButtonProps) {
  const words = useWords();
  const dates = useDates();
  const tz = useZone();
  const [choosing, setChoosing] = useState(false);
  const [now, setNow] = useState(() => new Date());
  const presets = [
    ["compose.tomorrow", tomorrowMorning(now, tz)],
    ["compose.monday", mondayMorning(now, tz)],
  ] as const;
  return (
    <span className="inline-flex shrink-0">
      <Button look="primary" className="rounded-r-none" disabled={sending || locked} title={words("compose.send_hint")} onClick={() => onSend(null)}>
        {words(sending ? "compose.sending" : "compose.send")}
      </Button>
      <Menu
        trigger={
          <button
            type="button"
            aria-label={words("compose.later")}
            title={words("compose.later")}
            disabled={sending || locked}
            onPointerDown={() => setNow(new Date())}
            className="target inline-flex h-9 w-8 items-center justify-center rounded-r-m border-l border-l-on-accent/30 bg-accent text-on-accent hover:brightness-110 disabled:opacity-60"
          >
            <ChevronDown size={16} aria-hidden />
          </button>
        }
      >
        {presets.map(([label, at]) => (
          <MenuItem key={label} onSelect={() => onSend(at)}>
            <Clock size={15} aria-hidden />
            <span className="flex-1">{words(label)}</span>
            <span className="pl-4 text-12 text-text3 tabular-nums">{dates.usual(at.toISOString())}</span>
          </MenuItem>
        ))}
        <MenuItem onSelect={() => setChoosing(true)}>
          <Clock size={15} aria-hidden />
          {words("compose.choose_time")}
        </MenuItem>
      </Menu>
      {choosing && (
        <TimeSheet
          title={words("compose.later")}
          label={words("compose.send")}
          onClose={() => setChoosing(false)}
          onChoose={(at) => {
            setChoosing(false);
            onSend(at);
          }}
        />
      )}
    </span>
  );
}
