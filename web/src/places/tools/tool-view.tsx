import { useEffect } from 'preact/hooks'
import type { ToolDetail } from '../../../../src/client.ts'
import { Button } from '../../parts/button.tsx'
import { Empty, Marks, ErrorLine, faultText, Loading } from '../../parts/messages.tsx'
import { ServerNotice } from '../../parts/server-notice.tsx'
import { Tokens } from '../../parts/amounts.tsx'
import { useAnswer } from '../../state/answers.ts'
import { usePageTitle } from '../../state/page-title.ts'
import { addresses } from '../../state/addresses.ts'
import { oneLine } from './one-line.ts'
import { ToolForm } from './tool-form.tsx'

/** One tool: what it is, its form, its last result. The form stays when the server crashes or the schema changes. */
export function ToolView({
  toolRef,
  given,
}: {
  readonly toolRef: string
  readonly given: string | undefined
}) {
  const tool = useAnswer(
    'GET /api/tools/:ref',
    { params: { ref: toolRef } },
    {
      on: ['tools.changed'],
      when: (event) =>
        event.type === 'tools.changed' &&
        (lastTools.get(toolRef)?.row.server === event.server || isOf(toolRef, event.server)),
    },
  )
  usePageTitle(tool.value?.row.name ?? toolRef, 'Tools')
  useEffect(() => {
    if (tool.value) lastTools.set(toolRef, tool.value)
  }, [tool.value])
  const shown = tool.value ?? lastTools.get(toolRef)
  if (!shown) {
    return tool.error ? (
      <Empty title={toolRef} says={faultText(tool.error)} command="plugboard tools">
        <Button to={addresses.tools}>All tools</Button>
      </Empty>
    ) : (
      <Loading what={toolRef} />
    )
  }
  return (
    <article class="tool">
      <ToolForm tool={shown} given={given} head={<ToolHead tool={shown} />}>
        {tool.error && <ErrorLine error={tool.error} />}
        <ServerNotice server={shown.row.server} />
      </ToolForm>
    </article>
  )
}

/** Tools as they were last seen: a tool whose server is away keeps its form. */
const lastTools = new Map<string, ToolDetail>()

function isOf(ref: string, server: string): boolean {
  return ref.startsWith(`${server.replaceAll('%', '%25').replaceAll('/', '%2F')}/`)
}

function ToolHead({ tool: { row, description, signature, why } }: { readonly tool: ToolDetail }) {
  return (
    <>
      <div class="tool-title">
        <h1 class="mono">{row.name}</h1>
        <span class="tool-marks">
          <Marks marks={row.isReadOnly ? ['only reads'] : row.marks} />
          <span class="dim">
            <Tokens count={row.tokens} /> tokens
          </span>
          <a class="dim" href={addresses.server(row.server)}>
            {row.server}
          </a>
        </span>
      </div>
      {row.title && row.title !== row.name && <p>{row.title}</p>}
      <Signature text={signature} />
      {description && <Description text={description} />}
      <p class="dim small">
        {effects[why.decision.effect]}: {why.decision.reason}
      </p>
    </>
  )
}

const effects = { allow: 'Runs', ask: 'Asks first', deny: 'Is denied' } as const

const longSignature = 160

/** In one line, and in lines with its comments where it is long. */
function Signature({ text }: { readonly text: string }) {
  const line = oneLine(text)
  if (line.length <= longSignature) return <code class="tool-signature">{line}</code>
  return (
    <details class="tool-signature">
      <summary title="The whole signature">
        <code>{line}</code>
      </summary>
      <pre tabIndex={0}>{text}</pre>
    </details>
  )
}

const longDescription = 280

function Description({ text }: { readonly text: string }) {
  if (text.length <= longDescription && text.split('\n').length <= 4)
    return <p class="tool-description">{text}</p>
  const [first = ''] = text.split('\n\n')
  return (
    <details class="tool-description">
      <summary>{first.length > longDescription ? `${first.slice(0, longDescription)}…` : first}</summary>
      <p>{text}</p>
    </details>
  )
}
