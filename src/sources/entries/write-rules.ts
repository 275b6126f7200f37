import type { JsonObject } from '../../model/json.ts'
import type { Auth, Input, Timeouts, ToolFilter, Value } from '../../model/server.ts'
import type { Path } from '../formats/doc.ts'
import type { EntryRules } from './entry-rules.ts'
import type { OpenFile, World } from '../source.ts'

/** A server to be written, independent of any client's spelling. Values are as they will be in the file. */
export interface NewServer {
  readonly name: string
  readonly transport: NewTransport
  readonly enabled?: boolean
  readonly timeouts?: Timeouts
  readonly tools?: Partial<ToolFilter>
  readonly title?: string
  readonly description?: string
  readonly auth?: Auth
  /** The inputs that its values refer to as `${input:id}`. */
  readonly inputs?: readonly Input[]
  /** The entry itself, if it is in our own dialect already. */
  readonly entry?: JsonObject
  /** The program that must run before the address exists. No file can hold it: it is started by hand. */
  readonly launch?: NewLaunch
  /** What was lost before, when the server was read. */
  readonly lost?: readonly LostField[]
}

export type NewTransport<V extends Value = Value> =
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args?: readonly string[]
      readonly env?: Readonly<Record<string, V>>
      readonly cwd?: string
      readonly envFile?: string
    }
  | {
      readonly kind: 'http' | 'sse'
      readonly url: string
      readonly headers?: Readonly<Record<string, V>>
    }

export interface NewLaunch {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, Value>>
}

/** A field that a client's entry cannot hold, with the reason. */
export interface LostField {
  readonly field: string
  readonly reason: string
}

/** The most common reason for a lost field. */
export const noKey = 'There is no key for it.'

export interface WrittenEntry {
  readonly entry: JsonObject
  readonly lost: readonly LostField[]
}

/** Values that are names of variables instead of strings, by the map they belong to. */
export interface VariableNames {
  readonly env: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

/** The file and the existing entry that an entry is written for. */
export interface EntryTarget {
  readonly file: OpenFile
  /** The existing entry; empty for a new one. */
  readonly like: JsonObject
}

/** Rules for writing that do not follow from the rules for reading. */
export interface WriteRules {
  /** The path for new entries; by default the first root key that the file has, else the client's first root key. */
  readonly root?: (file: OpenFile, world: World) => Path
  /** Entries are in a list, and each holds its name. */
  readonly list?: (file: OpenFile) => boolean
  /** An entry in our own dialect is written unchanged. */
  readonly keepsEntries?: boolean
  /** What a new file of this client must hold besides its servers. */
  readonly newFile?: (file: OpenFile) => JsonObject
  /** The on/off key of a file that uses neither, for clients that read both. */
  readonly usualFlag?: 'enabled' | 'disabled'
  /** Always write the type, even if the rules do not need it. */
  readonly typed?: true
  /** The key of a new url, if it is not the first one that is read. */
  readonly urlKey?: string
  /** The keys of a login; `undefined` if the client has none for this kind. Lost fields are added to `lost`. */
  readonly auth?: (auth: Auth, lost: LostField[]) => JsonObject | undefined
  /** Writes names of variables under keys of their own, for clients without placeholders; `rest` are those without a key. */
  readonly variables?: (names: VariableNames) => { readonly entry: JsonObject; readonly rest: VariableNames }
  /** The key of an object that holds the headers, if the entry itself does not. */
  readonly headersUnder?: string
  /** The key of the file's list that defines each `${input:id}`. */
  readonly inputsKey?: string
  /** Further keys with values of an endpoint; they are replaced together with it. */
  readonly valueKeys?: readonly string[]
  /** Further keys bound to one endpoint, such as its login; they are removed when the endpoint changes. */
  readonly boundKeys?: readonly string[]
  /** Names that the client reads but would not write. */
  readonly badName?: EntryRules['badName']
  /** The client's own way to make a key of a name. */
  readonly toName?: (name: string) => string
  /** Adjusts the written entry: keys the client requires, or a shape that only it has. */
  readonly toEntry?: (server: NewServer, written: WrittenEntry, context: EntryTarget) => WrittenEntry
}

/** The rules and the current entries of a file to be written. */
export interface WriteTarget {
  readonly rules: EntryRules
  readonly own: WriteRules
  readonly root: Path
  /** All entries of the file, usable or not. */
  readonly entries: readonly { readonly name: string; readonly path: Path }[]
}
