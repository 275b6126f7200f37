import type { JsonObject } from '../../model/json.ts'
import type { Auth, Input, Timeouts, ToolFilter, Value } from '../../model/server.ts'
import type { Path } from '../formats/doc.ts'
import type { EntryRules } from './entry-rules.ts'
import type { OpenFile, World } from '../source.ts'

/** A server as a person describes it, before any owner's spelling. Values stand as they will in the file. */
export interface NewServer {
  readonly name: string
  readonly transport: NewTransport
  readonly enabled?: boolean
  readonly timeouts?: Timeouts
  readonly tools?: Partial<ToolFilter>
  readonly title?: string
  readonly description?: string
  readonly auth?: Auth
  /** What its values ask a person for, where they stand as `${input:id}`. */
  readonly inputs?: readonly Input[]
  /** The entry as it is to stand, where it is in our own dialect already. */
  readonly entry?: JsonObject
  /** What did not make it into this description. */
  readonly lost?: readonly Lost[]
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

/** What an owner's entry has no place for. */
export interface Lost {
  readonly field: string
  readonly reason: string
}

/** The reason why something is lost, mostly. */
export const noKey = 'There is no key for it.'

export interface WrittenEntry {
  readonly entry: JsonObject
  readonly lost: readonly Lost[]
}

/** Values that are no text but the names of variables, by where they go. */
export interface VariableNames {
  readonly env: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

/** What an entry is written for. */
export interface WritingContext {
  readonly file: OpenFile
  /** The entry that stands there, empty for a new one. */
  readonly like: JsonObject
}

/** How a dialect writes, where that does not follow from how it reads. */
export interface WriteRules {
  /** Where a new entry goes; the first root key that the file has, else the first that its owner reads. */
  readonly root?: (file: OpenFile, world: World) => Path
  /** Entries stand in a list and say their names themselves. */
  readonly list?: (file: OpenFile) => boolean
  /** An entry that is given as a whole is written as it is. */
  readonly keepsEntries?: boolean
  /** What a new file of this owner must have besides its servers. */
  readonly newFile?: (file: OpenFile) => JsonObject
  /** The entry says its transport even where the rules could do without. */
  readonly typed?: true
  /** The key of a new url, where that is not the first one that is read. */
  readonly urlKey?: string
  /** The keys that say how to log in, and what of it is lost; nothing where there is no place for this way. */
  readonly auth?: (auth: Auth, lost: Lost[]) => JsonObject | undefined
  /** Where the names of variables go, for owners whose values cannot refer to them; and the names that go nowhere. */
  readonly variables?: (names: VariableNames) => { readonly entry: JsonObject; readonly rest: VariableNames }
  /** An object around the headers, where they have no key in the entry itself. */
  readonly headersUnder?: string
  /** The list of the file that says what `${input:id}` asks for. */
  readonly inputsKey?: string
  /** Further keys for the values of an endpoint, which are written anew with it. */
  readonly valueKeys?: readonly string[]
  /** Further keys that belong to one endpoint, its logins first of all: they go when it becomes another one. */
  readonly boundKeys?: readonly string[]
  /** The last word on what the rules made: keys the owner requires, or a shape that only it has. */
  readonly toEntry?: (server: NewServer, written: WrittenEntry, context: WritingContext) => WrittenEntry
}

/** Everything that writing into one file needs to know. */
export interface Writing {
  readonly rules: EntryRules
  readonly own: WriteRules
  readonly root: Path
  /** Every entry the file has, usable or not. */
  readonly entries: readonly { readonly name: string; readonly path: Path }[]
}
