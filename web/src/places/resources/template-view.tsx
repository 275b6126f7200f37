import type { RouteAnswer } from '../../../../src/client.ts'
import { Button } from '../../parts/button.tsx'
import { CompletedInput } from '../../parts/completed-input.tsx'
import { ServerNotice } from '../../parts/server-notice.tsx'
import { addresses, go } from '../../state/addresses.ts'
import { useKeptValues } from '../../state/kept-values.ts'
import { useKeys } from '../../state/keys.ts'
import { expandTemplate, variablesOf } from './uri-template.ts'

type Resource = RouteAnswer<'GET /api/resources'>['resources'][number]

/** The variables of a template with completion; then the resource is read. */
export function TemplateView({ server, template }: { readonly server: string; readonly template: Resource }) {
  const [values, set] = useKeptValues(`plugboard.template.${server} ${template.uri}`)
  const uri = expandTemplate(template.uri, values)
  const read = () => go(addresses.resource(server, uri, template.uri))
  useKeys({ 'Ctrl+Enter': { does: 'Read the resource', run: read } })
  return (
    <article class="tool">
      <header class="tool-head">
        <div class="tool-run">
          <Button kind="primary" keyName="Ctrl ⏎" command={`plugboard read ${uri}`} onPress={read}>
            Read
          </Button>
        </div>
        <div class="tool-about">
          <h1>{template.title ?? template.name}</h1>
          <p>
            <code>{template.uri}</code>
          </p>
          <p class="dim small">
            <a href={addresses.server(server)}>{server}</a>
            {template.mimeType && ` · ${template.mimeType}`}
          </p>
          {template.description && <p class="tool-description">{template.description}</p>}
        </div>
      </header>
      <ServerNotice server={server} />
      <div
        class="fields tool-pane"
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.isComposing && !event.ctrlKey && !event.metaKey) read()
        }}
      >
        {variablesOf(template.uri).map((name) => (
          <CompletedInput
            key={name}
            id={`template-${name}`}
            name={name}
            value={values[name] ?? ''}
            onValue={(value) => set(name, value)}
            subject={{ server, template: template.uri }}
            known={values}
            isRequired={false}
          />
        ))}
        <p class="dim">
          Reads <code>{uri}</code>
        </p>
      </div>
    </article>
  )
}
