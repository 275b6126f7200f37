import { useEffect, useRef, useState } from 'preact/hooks'
import type { ShownArgumentProblem } from '../../../../src/client.ts'
import type { Json } from '../../../../src/model/json.ts'
import { send } from '../../state/client.ts'

const pauseMs = 250

/** Checks arguments on the server a moment after the last change. `check` does it at once, before they are sent. */
export function useCheck(
  ref: string,
  args: Json,
): {
  readonly problems: readonly ShownArgumentProblem[]
  readonly check: () => Promise<readonly ShownArgumentProblem[]>
} {
  const [problems, setProblems] = useState<readonly ShownArgumentProblem[]>([])
  const asked = useRef(0)
  const shown = useRef(0)
  const check = async () => {
    const own = ++asked.current
    const answer = await send('POST /api/tools/:ref/check', { params: { ref }, body: { args } })
    // An answer counts although a newer one is on its way: what is shown now is older than both.
    if (own > shown.current) {
      shown.current = own
      setProblems(answer.problems)
    }
    return answer.problems
  }
  const text = JSON.stringify(args)
  useEffect(() => {
    // A server that is away cannot check: the call itself will say so.
    const timer = setTimeout(() => void check().catch(() => setProblems([])), pauseMs)
    return () => clearTimeout(timer)
  }, [ref, text])
  return { problems, check }
}
