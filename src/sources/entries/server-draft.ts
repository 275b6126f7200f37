import type { Json } from '../../model/json.ts'
import type { Runner } from '../../model/runner/runner.ts'
import type { Auth, DeclaredEntry, Input, Origin, Timeouts, Tls, Values } from '../../model/server.ts'
import type { OpenFile } from '../source.ts'

/** What one layer declares of a server. Drafts of several layers may be joined; a complete draft becomes a server. */
export interface Draft {
  readonly name: string
  readonly file: OpenFile
  origin: Origin
  /** The unexpanded entries of its layers, highest first. Trust, cache and lock are bound to them. */
  readonly declared: readonly DeclaredEntry[]
  /** The project folder that the entry's relative paths are bound to. */
  folder?: string | undefined
  refused: boolean
  kind?: 'stdio' | 'http' | 'sse' | undefined
  fallback?: 'sse' | undefined
  command?: string | undefined
  args?: readonly string[] | undefined
  env?: Values | undefined
  passEnv?: readonly string[] | undefined
  secretEnv?: readonly string[] | undefined
  unsetEnv?: readonly string[] | undefined
  envFile?: string | undefined
  cwd?: string | undefined
  inheritEnv?: boolean | undefined
  framing?: 'auto' | 'ndjson' | 'content-length' | undefined
  url?: string | undefined
  socketPath?: string | undefined
  headers?: Values | undefined
  headersCommand?: string | undefined
  tls?: Tls | undefined
  auth?: Auth | undefined
  enabled?: boolean | undefined
  disabledBy?: string | undefined
  forceEnabledBy?: string | undefined
  timeouts: Timeouts
  allow?: readonly string[] | null | undefined
  deny?: readonly string[] | undefined
  autoApprove?: readonly string[] | undefined
  lifecycle?: 'lazy' | 'background' | 'eager' | undefined
  restart?: 'backoff' | 'never' | undefined
  stateful?: boolean | undefined
  protocol?: 'auto' | 'legacy' | '2026-07-28' | undefined
  title?: string | undefined
  description?: string | undefined
  inputs?: readonly Input[] | undefined
  sandbox?: Json | undefined
  runner?: Runner | undefined
  watch?: readonly string[] | undefined
  approval?: Json | undefined
  agent?: string | undefined
  mergedFrom?: readonly Origin[] | undefined
  extra: Record<string, Json>
}
