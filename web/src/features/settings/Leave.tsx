/** Leaving for good. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";

import type { ApiError } from "@/api/errors";
import { leave } from "@/api/identity";
import { keys } from "@/api/keys";
import { Button } from "@/ui/Button";
import { useWords } from "@/ui/i18n";

import { Card } from "./Card";
import { Confirm } from "./Confirm";

export function Leave() {
  const words = useWords();
  const cache = useQueryClient();
  const [, go] = useLocation();
  const [open, setOpen] = useState(false);
  const leaving = useMutation<unknown, ApiError, string>({
    mutationFn: leave,
    onSuccess: () => {
      // First the address, while somebody is still signed in, as when signing out.
      go("/mail", { replace: true });
      cache.setQueryData(keys.me, null);
    },
  });
  return (
    <Card title={words("security.leave")} text={words("security.leave_text")}>
      {open ? (
        <Confirm action={words("security.leave_yes")} danger doing={leaving} onConfirm={leaving.mutate} onCancel={() => setOpen(false)} />
      ) : (
        <Button look="danger" className="self-start" onClick={() => setOpen(true)}>
          {words("security.leave_button")}
        </Button>
      )}
    </Card>
  );
}
