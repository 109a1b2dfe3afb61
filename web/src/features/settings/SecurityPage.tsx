/** What keeps others out: password, second factor, passkeys, a way back in, sessions; whose images load; and leaving. */
import { useQuery } from "@tanstack/react-query";

import { config } from "@/api/queries";
import { useWords } from "@/ui/i18n";

import { ImageSenders } from "./ImageSenders";
import { Leave } from "./Leave";
import { Passkeys } from "./Passkeys";
import { Password } from "./Password";
import { Recovery } from "./Recovery";
import { Sessions } from "./Sessions";
import { TwoStep } from "./TwoStep";

export function SecurityPage() {
  const words = useWords();
  const { data: server } = useQuery(config);
  return (
    <div className="flex flex-col gap-4">
      <h1 className="text-20 font-semibold tracking-tight">{words("security.title")}</h1>
      <Password />
      <TwoStep />
      <Passkeys />
      {server?.recovery === true && <Recovery />}
      <Sessions />
      <ImageSenders />
      <Leave />
    </div>
  );
}
