import type { SampleModel, Usage } from '../../../agent.ts'
import type { DiscoverOptions } from '../../../index.ts'

/** Which model a server may use, and who counts it. */
export interface SampleSource {
  readonly discover: DiscoverOptions
  readonly isDemo: boolean
  /** The model of the conversation that calls the server now. */
  readonly modelOn: (server: string) => SampleModel | undefined
  readonly count: (server: string, usage: Usage) => void
}
