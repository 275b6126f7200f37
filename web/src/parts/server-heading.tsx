import { servers } from '../state/page-state.ts'
import { StateMark } from './state-mark.tsx'

/** The heading of a server in a list of what it offers; its state is said where something is wrong with it. */
export function ServerHeading({ server, count }: { readonly server: string; readonly count: number }) {
  const state = servers.value.find(({ name }) => name === server)?.state
  return (
    <>
      <span class="cut">{server}</span>
      {state && (state.tone === 'bad' || state.tone === 'ask' || state.tone === 'warn') && (
        <span title={state.sentence}>
          <StateMark state={state} />
        </span>
      )}
      <span class="grow" />
      <span class="number">{count}</span>
    </>
  )
}
