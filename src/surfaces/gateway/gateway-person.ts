import type { Approve, JsonObject } from '../../index.ts'
import type { GatewayClient, ServedRequest } from './served-request.ts'

/** The method with which a server asks a person. */
export const elicit = 'elicitation/create'

/** The person at this machine, who answers what no client can, and may answer before a client does. */
export interface GatewayPerson {
  /** Whether what servers ask in the course of a request is for them; without a request, what belongs to no certain client. */
  answersFor(request: ServedRequest | undefined): boolean
  /** Whether they can be asked now to approve calls, of any caller. */
  mayApprove(): boolean
  approve(
    question: Parameters<Approve>[0],
    options: {
      readonly signal: AbortSignal | undefined
      readonly request?: ServedRequest
      /** Asks the client too. */
      readonly client?: (until: AbortSignal) => Promise<'once' | 'no'>
    },
  ): ReturnType<Approve>
  /** Answers a question of a server. The parameters are those of `elicitation/create`. */
  elicit(
    asked: { readonly server: string; readonly params: JsonObject },
    options: {
      readonly signal: AbortSignal
      readonly request?: ServedRequest
      /** Asks the client too. */
      readonly client?: (until: AbortSignal) => Promise<JsonObject>
    },
  ): Promise<JsonObject>
}

/** Whether only the person can be asked: the client declares no way, or its protocol has none. */
export function asksPerson({ era, capabilities, ask }: GatewayClient): boolean {
  if (era === 'modern')
    return capabilities['elicitation'] === undefined && capabilities['sampling'] === undefined
  return capabilities['elicitation'] === undefined || !ask
}
