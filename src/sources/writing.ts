import type { JsonObject } from '../model/json.ts'
import type { Auth, Timeouts, ToolFilter } from '../model/server.ts'
import type { Path } from './format/doc.ts'
import type { EntryRules } from './rules.ts'
import type { OpenFile, World } from './source.ts'

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
  /** The entry as it is to stand, where it is in our own dialect already. */
  readonly entry?: JsonObject
}

export type NewTransport =
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args?: readonly string[]
      readonly env?: Readonly<Record<string, string>>
      readonly cwd?: string
      readonly envFile?: string
    }
  | {
      readonly kind: 'http' | 'sse'
      readonly url: string
      readonly headers?: Readonly<Record<string, string>>
    }

/** What an owner's entry has no place for. */
export interface Lost {
  readonly field: string
  readonly reason: string
}

export interface WrittenEntry {
  readonly entry: JsonObject
  readonly lost: readonly Lost[]
}

/** How a dialect writes, where that does not follow from how it reads. */
export interface WriteRules {
  /** Where a new entry goes; the first root key that the file has, else the first that its owner reads. */
  readonly root?: (file: OpenFile, world: World) => Path
  /** Entries stand in a list and say their names themselves. */
  readonly list?: (file: OpenFile) => boolean
  /** An entry that is given as a whole is written as it is. */
  readonly keepsEntries?: boolean
  /** The keys that say how to log in. */
  readonly auth?: (auth: Auth) => JsonObject
  /** The last word on what the rules made: keys the owner requires, or a shape that only it has. */
  readonly toEntry?: (server: NewServer, written: WrittenEntry, file: OpenFile) => WrittenEntry
}

/** Everything that writing into one file needs to know. */
export interface Writing {
  readonly rules: EntryRules
  readonly own: WriteRules
  readonly root: Path
  /** Every entry the file has, usable or not. */
  readonly entries: readonly { readonly name: string; readonly path: Path }[]
}
