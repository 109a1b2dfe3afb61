/** Keeps the cache honest while someone is signed in: stale things are asked again. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { keys } from "@/api/keys";
import { noteArrival } from "./arrivals";
import { type Connection, LiveSocket } from "./socket";
import { Staleness, staleAfter } from "./stale";

export function useLive(): Connection {
  const cache = useQueryClient();
  const [connection, setConnection] = useState<Connection>("connecting");

  useEffect(() => {
    const staleness = new Staleness(
      (isStale) => void cache.invalidateQueries({ predicate: ({ queryKey }) => isStale(queryKey) }),
    );
    const { protocol, host } = globalThis.location;
    const socket = new LiveSocket(`${protocol === "https:" ? "wss" : "ws"}://${host}/api/ws`, {
      frame: (frame) => {
        if (frame.event === "message.new") noteArrival(frame.payload.mailbox_id);
        staleness.add(staleAfter(frame));
      },
      gap: () => void cache.invalidateQueries(),
      connection: (state) => {
        setConnection(state);
        if (state === "revoked") cache.setQueryData(keys.me, null);
      },
    });
    socket.start();
    return () => {
      socket.stop();
      staleness.stop();
    };
  }, [cache]);

  return connection;
}
