import { loadRoom } from "./room.ts";

await loadRoom(import.meta.url);
