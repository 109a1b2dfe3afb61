/** What keeps others out: password, second factor, passkeys, sessions; whose images load; and leaving. */
import { useWords } from "@/ui/i18n";

import { ImageSenders } from "./ImageSenders";
import { Leave } from "./Leave";
import { Passkeys } from "./Passkeys";
import { Password } from "./Password";
import { Sessions } from "./Sessions";
import { TwoStep } from "./TwoStep";

export function SecurityPage() {
  const words = useWords();
  return (
    <div className="flex flex-col gap-4">
      <h1 className="text-20 font-semibold tracking-tight">{words("security.title")}</h1>
      <Password />
      <TwoStep />
      <Passkeys />
      <Sessions />
      <ImageSenders />
      <Leave />
    </div>
  );
}
