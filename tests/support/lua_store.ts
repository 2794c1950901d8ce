/**
 * A Redis of one client in this process, as far as the script of the guard needs it: a Lua virtual
 * machine, and a map of keys to texts with their expiry times. Its own clock stands still, so nothing
 * expires.
 *
 * @module
 */

import { createHash } from "node:crypto";
import fengari from "fengari";
import type { StoreLink } from "../../lib/guard/redis/link.ts";
import type { Send } from "../../lib/guard/redis/script.ts";

const { lua, lauxlib, lualib, to_jsstring: jsText, to_luastring: luaText } = fengari;

/** The link to a new, empty store, for a `RedisStore`. */
export function luaLink(): Pick<StoreLink, "run" | "isHealthy"> {
  const store = new LuaStore();
  const send: Send = ([command, ...words]) =>
    Promise.try(() => {
      if (command === "GET") return store.get(words[0]!);
      if (command === "PTTL") return store.expiryMs(words[0]!);
      return store.evaluate([command!, ...words]);
    });
  return {
    run: (_key, commands) => commands(send),
    isHealthy: true,
  };
}

/** A store of its own. */
export class LuaStore {
  readonly #texts = new Map<string, string>();
  /** Expiry times in milliseconds, as commands gave them. */
  readonly #expiriesMs = new Map<string, number>();
  readonly #errors = new Map<string, string>();
  /** Keys that were restored as unused for a long time. */
  readonly #letGo = new Set<string>();
  readonly #state = lauxlib.luaL_newstate();
  /** Hashes of the loaded scripts, which are globals by these names. */
  readonly #loaded = new Set<string>();

  /**
   * Makes an empty store.
   *
   * @param time Makes the reply to `TIME`: seconds and microseconds.
   */
  constructor(private readonly time = (): readonly [string, string] => ["0", "0"]) {
    const state = this.#state;
    lualib.luaL_openlibs(state);
    lua.lua_newtable(state);
    for (const name of ["call", "pcall"]) {
      lua.lua_pushcfunction(state, () => this.#call());
      lua.lua_setfield(state, -2, luaText(name));
    }
    lua.lua_pushcfunction(state, () => this.#pushError(jsText(lua.lua_tostring(state, 1))));
    lua.lua_setfield(state, -2, luaText("error_reply"));
    lua.lua_setglobal(state, luaText("redis"));
  }

  /** Text of a key. */
  get(key: string): string | undefined {
    return this.#texts.get(key);
  }

  /** Sets the text of a key, without an expiry. */
  set(key: string, text: string): void {
    this.#texts.set(key, text);
    this.#expiriesMs.delete(key);
  }

  /** Makes the store answer questions about a key with an error. */
  fail(key: string, error: string): void {
    this.#errors.set(key, error);
  }

  /** Time until a key expires, as `PTTL` returns it: -1 without an expiry, -2 without the key. */
  expiryMs(key: string): number {
    return this.#texts.has(key) ? this.#expiriesMs.get(key) ?? -1 : -2;
  }

  /** Whether a full store evicts a key before others. */
  isLetGo(key: string): boolean {
    return this.#letGo.has(key);
  }

  /** Runs a script, and returns its reply: a number, or a list of two. */
  evaluate(
    [command, script = "", , key = "", ...args]: readonly string[],
  ): number | readonly number[] {
    const state = this.#state;
    const name = command === "EVAL" ? createHash("sha1").update(script).digest("hex") : script;
    if (command !== "EVAL" && !this.#loaded.has(name)) {
      throw new Error("NOSCRIPT No matching script");
    }
    if (!this.#loaded.has(name)) {
      this.#check(lauxlib.luaL_loadstring(state, luaText(script)));
      lua.lua_setglobal(state, luaText(name));
      this.#loaded.add(name);
    }
    this.#setTable("KEYS", [key]);
    this.#setTable("ARGV", args);
    lua.lua_getglobal(state, luaText(name));
    this.#check(lua.lua_pcall(state, 0, 1, 0));
    if (lua.lua_istable(state, -1)) {
      const isError = lua.lua_getfield(state, -1, luaText("err")) === lua.LUA_TSTRING;
      if (isError) throw new Error(jsText(lua.lua_tostring(state, -1)));
      lua.lua_pop(state, 1);
    }
    const numberAt = (at: number): number => Math.trunc(lua.lua_tonumber(state, at));
    const reply = lua.lua_istable(state, -1)
      ? [1, 2].map((i) => {
        lua.lua_rawgeti(state, -1, i);
        const number = numberAt(-1);
        lua.lua_pop(state, 1);
        return number;
      })
      : numberAt(-1);
    lua.lua_settop(state, 0);
    return reply;
  }

  #pushError(error: string): number {
    lua.lua_newtable(this.#state);
    lua.lua_pushstring(this.#state, luaText(error));
    lua.lua_setfield(this.#state, -2, luaText("err"));
    return 1;
  }

  #pushList(values: readonly string[]): number {
    lua.lua_newtable(this.#state);
    values.forEach((value, i) => {
      lua.lua_pushstring(this.#state, luaText(value));
      lua.lua_rawseti(this.#state, -2, i + 1);
    });
    return 1;
  }

  #setTable(name: string, values: readonly string[]): void {
    this.#pushList(values);
    lua.lua_setglobal(this.#state, luaText(name));
  }

  #check(status: number): void {
    if (status !== lua.LUA_OK) throw new Error(jsText(lua.lua_tostring(this.#state, -1)));
  }

  #call(): number {
    const [name, key = "", value = "", ...options] = Array.from(
      { length: lua.lua_gettop(this.#state) },
      (_, i) => jsText(lua.lua_tostring(this.#state, i + 1)),
    );
    const error = name === "GET" ? this.#errors.get(key) : undefined;
    if (error !== undefined) return this.#pushError(error);
    if (name === "TIME") return this.#pushList(this.time());
    if (name === "PTTL") return lua.lua_pushnumber(this.#state, this.expiryMs(key)), 1;
    if (name === "SET") {
      if (options[0] === "PX" && Number(options[1]) < 1) throw new Error("ERR invalid expire time");
      this.#texts.set(key, value);
      this.#expiriesMs.delete(key);
      this.#letGo.delete(key);
      if (options[0] === "PX") this.#expiriesMs.set(key, Number(options[1]));
    } else if (name === "DEL") this.#texts.delete(key);
    else if (name === "RESTORE") {
      this.#expiriesMs.set(key, Number(value));
      if (options[2] === "IDLETIME") this.#letGo.add(key);
    } else if (name !== "GET" && name !== "DUMP") throw new Error(`The store has no ${name}`);
    const found = name === "GET" || name === "DUMP" ? this.#texts.get(key) : undefined;
    if (found === undefined) lua.lua_pushboolean(this.#state, false);
    else lua.lua_pushstring(this.#state, luaText(found));
    return 1;
  }
}
