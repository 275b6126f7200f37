import { plural, Tokens } from '../../../parts/amounts.tsx'
import { Empty, ErrorLine, Loading, Marks } from '../../../parts/messages.tsx'
import { addresses } from '../../../state/addresses.ts'
import { useAnswer } from '../../../state/answers.ts'

/** The tools of one server with their cost, the dearest first, and those that rules hide, with the reason. */
export function ToolsTab({ server }: { readonly server: string }) {
  const { value, error } = useAnswer('GET /api/tools', {}, { on: ['tools.changed'] })
  if (!value) return error ? <ErrorLine error={error} /> : <Loading what="Reading the tools" />
  const tools = value.tools.filter((each) => each.server === server)
  const hidden = value.hidden.filter((each) => each.server === server)
  const waiting = value.waiting.find((each) => each.server === server)
  if (tools.length === 0 && hidden.length === 0) {
    return (
      <Empty
        says={waiting ? `Its tools are not known yet: ${waiting.reason}` : `${server} offers no tools.`}
      />
    )
  }
  return (
    <>
      <ul class="line-list">
        {tools
          .toSorted((a, b) => b.tokens - a.tokens)
          .map(({ ref, tool, summary, tokens, marks }) => (
            <li key={ref}>
              <a class="mono" href={addresses.tool(ref)}>
                {tool}
              </a>
              <span class="line-marks">
                <Marks marks={marks} />
              </span>
              <span class="line-end">
                <Tokens count={tokens} /> tok
              </span>
              <span class="line-more">{summary}</span>
            </li>
          ))}
      </ul>
      {hidden.length > 0 && (
        <details class="folded">
          <summary>{plural(hidden.length, 'hidden tool')}</summary>
          <ul class="line-list">
            {hidden.map(({ ref, name, reason }) => (
              <li key={ref}>
                <span class="mono">{name}</span>
                <span class="line-more">{reason}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
