import { hashOf } from '../../internal.ts'
import type { ServedRequest } from './served-request.ts'

/** What has to be the same in a request that continues another one; T31: also its caller. */
export function digestOf({ address, caller, method, params }: ServedRequest): string {
  const { inputResponses: _answers, requestState: _state, _meta: _hop, ...same } = params
  const { view = null, mode } = address
  return hashOf({ caller: caller?.id ?? null, view, mode, method, params: same })
}
