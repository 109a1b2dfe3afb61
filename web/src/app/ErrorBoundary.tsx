/** When a page breaks, the reader is told and can go on. */
import { CircleAlert } from "lucide-react";
import { Component, type ReactNode } from "react";

import { Button } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { Empty } from "@/ui/Notice";

export class ErrorBoundary extends Component<{ children: ReactNode }, { broken: boolean }> {
  override readonly state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override render() {
    return this.state.broken ? <Broken /> : this.props.children;
  }
}

function Broken() {
  const words = useWords();
  return (
    <Empty icon={CircleAlert} title={words("app.crashed")}>
      <Button onClick={() => globalThis.location.reload()}>{words("app.reload")}</Button>
    </Empty>
  );
}
