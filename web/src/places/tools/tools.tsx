import { useLayoutEffect } from 'preact/hooks'
import type { PlaceProps } from '../../app.tsx'
import { Split } from '../../parts/split.tsx'
import { addresses, go } from '../../state/addresses.ts'
import { useAnswer } from '../../state/answers.ts'
import { refAt } from './find-tools.ts'
import { ToolList } from './tool-list.tsx'
import { ToolView } from './tool-view.tsx'
import '../../style/tools.css'

/** All tools of all servers in one list, and the one that is open with its form and result. */
export function Tools({ id, query }: PlaceProps) {
  const tools = useAnswer('GET /api/tools', {}, { on: ['tools.changed', 'config.changed'] })
  const ref = refAt(tools.value?.tools ?? [], id)
  // The name that models use leads here too; one address is shown, kept and copied.
  useLayoutEffect(() => {
    if (ref !== id && ref !== undefined) go(`${addresses.tool(ref)}${location.search}`, { replace: true })
  }, [ref, id])
  return (
    <Split
      kind="list"
      list={<ToolList answer={tools} current={ref} />}
      detail={ref === undefined ? undefined : <ToolView key={ref} toolRef={ref} given={query['args']} />}
      placeholder={
        tools.value !== undefined &&
        tools.value.tools.length > 0 && (
          <p class="tools-none dim">
            Choose a tool: its form and its result stand here.
            <span class="keys-only">
              {' '}
              <kbd>/</kbd> searches, <kbd>Enter</kbd> opens.
            </span>
          </p>
        )
      }
      back={addresses.tools}
      backLabel="Tools"
      detailLabel="Tool"
    />
  )
}
