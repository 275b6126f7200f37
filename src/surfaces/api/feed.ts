import type { AgentEvent } from '../../agent.ts'
import type { ConversationRow } from './chat-routes.ts'
import { clientFacts } from './client-routes.ts'
import type { ClientCall, ClientFacts, GatewayFacts } from './client-routes.ts'
import { questionFacts } from './question-routes.ts'
import type { QuestionFacts } from './question-routes.ts'
import type { Route } from './route.ts'
import { flag, list, number, object, text, typed, whole } from './schema-builder.ts'
import { loginProgress, serverRow } from './server-routes.ts'
import type { LoginProgress, ServerRow } from './server-routes.ts'
import type { TaskRow } from './task-routes.ts'
import type { CallRow } from './tool-routes.ts'

/** What a page knows when it opens, and after it missed events. */
export interface Snapshot {
  readonly version: string
  /** Other after each start of `serve`: sequence numbers of another one mean nothing. */
  readonly epoch: string
  readonly seq: number
  readonly cwd: string
  readonly shownCwd: string
  readonly isDemo: boolean
  readonly servers: readonly ServerRow[]
  readonly counts: {
    readonly tools: number
    readonly tokens: number
    readonly resources: number
    readonly prompts: number
    readonly conversations: number
    readonly problems: number
    /** Files of the configuration that cannot be read, or do not parse. */
    readonly brokenFiles: number
    /** What is held back from models and waits for a decision. */
    readonly held: number
  }
  readonly questions: readonly QuestionFacts[]
  readonly logins: readonly LoginProgress[]
  /** Of the gateways of this user, as far as they are known. */
  readonly clients: readonly ClientFacts[]
  readonly notices: readonly { readonly message: string; readonly hint?: string }[]
}

/** A change, with everything that is drawn of it. */
export type FeedChange =
  | { readonly type: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly type: 'server.changed'; readonly server: ServerRow }
  | { readonly type: 'server.removed'; readonly name: string }
  | { readonly type: 'server.said'; readonly server: string; readonly stream: string; readonly line: string }
  | {
      readonly type: 'tools.changed'
      readonly server: string
      readonly added: readonly string[]
      readonly removed: readonly string[]
      readonly changed: readonly string[]
      readonly counts: Snapshot['counts']
    }
  | { readonly type: 'call.changed'; readonly call: CallRow }
  | { readonly type: 'task.changed'; readonly task: TaskRow }
  | { readonly type: 'question.changed'; readonly question: QuestionFacts }
  | { readonly type: 'conversation.changed'; readonly conversation: ConversationRow }
  | { readonly type: 'conversation.removed'; readonly id: string }
  | { readonly type: 'servers.switched'; readonly conversation: string }
  /** `index` counts the events of the turn from 0 on, as in `running` of a conversation: what both have is taken once. */
  | {
      readonly type: 'turn'
      readonly conversation: string
      readonly index: number
      readonly event: AgentEvent
    }
  /** Gateways of this user, or their clients. */
  | {
      readonly type: 'clients.changed'
      readonly gateways: readonly GatewayFacts[]
      readonly clients: readonly ClientFacts[]
    }
  | { readonly type: 'client.called'; readonly call: ClientCall }
  | { readonly type: 'login.changed'; readonly login: LoginProgress }
  | { readonly type: 'config.changed'; readonly counts: Snapshot['counts'] }
  | { readonly type: 'counts.changed'; readonly counts: Snapshot['counts'] }
  | { readonly type: 'resource.changed'; readonly server: string; readonly uri: string }
  | { readonly type: 'notice'; readonly message: string; readonly hint?: string }

/** An event of the stream. `seq` counts from 1 on, without gaps within an epoch. */
export type FeedEvent = { readonly seq: number; readonly at: number } & FeedChange

export const feedRoutes = {
  'GET /api/snapshot': {
    summary: 'What a page knows when it opens.',
    answer: typed<Snapshot>(
      object({
        version: text,
        epoch: text,
        seq: whole,
        cwd: text,
        shownCwd: text,
        isDemo: flag,
        servers: list(serverRow),
        counts: object({
          tools: number,
          tokens: number,
          resources: number,
          prompts: number,
          conversations: number,
          problems: number,
          brokenFiles: number,
          held: number,
        }),
        questions: list(questionFacts),
        logins: list(loginProgress),
        clients: list(clientFacts),
        notices: list(object({ message: text, 'hint?': text })),
      }),
    ),
  },
} as const satisfies Readonly<Record<string, Route>>
