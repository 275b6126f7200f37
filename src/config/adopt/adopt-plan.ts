import type { ToolFilter } from '../../model/server.ts'
import type { LostField } from '../../sources/entries/write-rules.ts'
import type { SourceId } from '../../sources/places.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import type { FileChange } from '../edit/dry-run.ts'
import type { AdoptionRecord } from './adoption-record.ts'
import type { StoredSecret } from './keychain-secrets.ts'
import type { StayingEntry } from './user-files.ts'

/** How Plugboard is started on this machine. */
export interface OwnProgram {
  readonly command: string
  readonly args: readonly string[]
}

export interface AdoptOptions extends DiscoverOptions {
  readonly program: OwnProgram
}

export interface MovedServer {
  readonly name: string
  /** Its name in our file. */
  readonly as: string
  readonly file: string
  /** Our file has an equal entry already. */
  readonly isShared: boolean
  /** The names that its tools have for the client now. */
  readonly toolNames: string
  /** The client's own filter, which is a rule of its view now. */
  readonly tools?: Partial<ToolFilter>
}

/** Where the secrets of a server go. */
export interface SecretPlace {
  readonly server: string
  readonly store: 'keychain' | 'file'
}

/** A copy of a client's file as it was. */
export interface KeptFile {
  readonly file: string
  readonly kept: string
  readonly text: string
}

/** What adopting or releasing a client will do. Nothing is written before `applyPlan`. */
interface Plan {
  readonly client: SourceId
  readonly title: string
  /** Files before and after, those of the client last. */
  readonly changes: readonly FileChange[]
  /** Every file that is written: those that change, copies, and the record of adoptions. */
  readonly writes: readonly string[]
  readonly lost: readonly LostField[]
}

export interface AdoptPlan extends Plan {
  readonly kind: 'adopt'
  readonly view: string
  readonly moved: readonly MovedServer[]
  readonly stays: readonly StayingEntry[]
  /** What changes for servers or tools although no key of an entry is lost, as sentences. */
  readonly notes: readonly string[]
  readonly secretPlaces: readonly SecretPlace[]
  readonly secrets: readonly StoredSecret[]
  readonly kept: readonly KeptFile[]
  readonly record: AdoptionRecord
}

/** An entry that is not put back, and why. */
export interface LeftEntry {
  readonly name: string
  readonly reason: string
}

export interface ReleasePlan extends Plan {
  readonly kind: 'release'
  /** Names in the client's file. */
  readonly restored: readonly string[]
  readonly left: readonly LeftEntry[]
  /** Files that get back exactly the bytes they had. */
  readonly identical: readonly string[]
  /** Files to remove: copies that are no longer needed, and files that adopting created. */
  readonly removes: readonly string[]
  /** Copies that stay, because the file was changed since. */
  readonly keeps: readonly string[]
  /** Accounts in the keychain that no entry uses any more. */
  readonly accounts: readonly string[]
}
