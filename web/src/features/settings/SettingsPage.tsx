/** What a person can set: colours, language, order, time zone. Each saves at once. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { config, me } from "@/api/queries";
import { useSettings } from "@/api/useSettings";
import { Choice } from "@/ui/Field";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

import { Invite } from "./Invite";

const UNDO = ["0", "5", "10", "20", "30", "60"] as const;

export function AppearancePage() {
  const words = useWords();
  const { settings, change, said } = useChoices();
  return (
    <Page title={words("settings.appearance")} said={said}>
      <Choice
        label={words("settings.theme")}
        value={settings?.theme}
        options={[
          ["system", words("settings.theme_system")],
          ["light", words("settings.theme_light")],
          ["dark", words("settings.theme_dark")],
        ]}
        onChange={(theme) => change({ theme })}
      />
      <Choice
        label={words("settings.order")}
        value={settings?.thread_order}
        options={[
          ["asc", words("thread.oldest_first")],
          ["desc", words("thread.newest_first")],
        ]}
        onChange={(thread_order) => change({ thread_order })}
      />
    </Page>
  );
}

export function ProfilePage() {
  const words = useWords();
  const { settings, change, said, handle, isAdmin } = useChoices();
  const { data: server } = useQuery(config);
  const zones = Intl.supportedValuesOf("timeZone");
  const listed = settings === undefined || zones.includes(settings.tz) ? zones : [settings.tz, ...zones];
  return (
    <div className="flex flex-col gap-4">
      <Page title={words("settings.profile")} said={said}>
        <div>
          <p className="text-13 font-semibold">{words("settings.handle")}</p>
          <p className="break-all">{handle}</p>
        </div>
        <Choice
          label={words("settings.language")}
          value={settings?.language}
          options={[
            ["en", "English"],
            ["pl", "Polski"],
          ]}
          onChange={(language) => change({ language })}
        />
        <Choice
          label={words("settings.tz")}
          value={settings?.tz}
          options={listed.map((zone) => [zone, zone.replaceAll("_", " ")] as const)}
          onChange={(tz) => change({ tz })}
        />
        <Choice
          label={words("settings.undo")}
          hint={words("settings.undo_hint")}
          value={UNDO.find((seconds) => Number(seconds) >= (settings?.undo_window ?? 0))}
          options={UNDO.map((seconds) => [seconds, words("settings.undo_seconds", { count: Number(seconds) })] as const)}
          onChange={(seconds) => change({ undo_window: Number(seconds) })}
        />
      </Page>
      {isAdmin === true && server?.registration === "invite" && <Invite />}
    </div>
  );
}

function useChoices() {
  const words = useWords();
  const { data } = useQuery(me);
  const { mutate, error, isSuccess } = useSettings();
  const said = error === null ? { text: isSuccess ? words("settings.saved") : "", failed: false } : { text: explain(words, error), failed: true };
  return { settings: data?.settings, handle: data?.handle, isAdmin: data?.is_admin, change: mutate, said };
}

interface PageProps {
  title: string;
  said: { text: string; failed: boolean };
  children: ReactNode;
}

function Page({ title, said, children }: PageProps) {
  return (
    <section className="rounded-l border border-line bg-surface p-7 max-md:p-5">
      <h1 className="mb-5 text-20 font-semibold tracking-tight">{title}</h1>
      <div className="flex max-w-80 flex-col gap-5">
        {children}
        {said.failed && <Notice tone="danger">{said.text}</Notice>}
        <p role="status" className="h-5 text-12 text-text3">
          {said.failed ? "" : said.text}
        </p>
      </div>
    </section>
  );
}
