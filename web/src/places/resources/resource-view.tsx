import { useEffect, useState } from 'preact/hooks'
import type { RouteAnswer } from '../../../../src/client.ts'
import { Clock } from '../../parts/amounts.tsx'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorLine, Loading } from '../../parts/messages.tsx'
import { ServerNotice } from '../../parts/server-notice.tsx'
import { Switch } from '../../parts/switch.tsx'
import { addresses } from '../../state/addresses.ts'
import { useAction, useAnswer } from '../../state/answers.ts'
import { send } from '../../state/client.ts'
import { onFeed } from '../../state/page-state.ts'
import { ResourceParts } from './resource-parts.tsx'

type Resource = RouteAnswer<'GET /api/resources'>['resources'][number]

/** The content of a resource; it is read again when the server says that it changed. */
export function ResourceView({
  server,
  uri,
  about,
  template,
}: {
  readonly server: string
  readonly uri: string
  readonly about: Resource | undefined
  /** Its address was made with this one. */
  readonly template: Resource | undefined
}) {
  const content = useAnswer(
    'GET /api/resource',
    { query: { server, uri } },
    {
      on: ['resource.changed'],
      when: (event) => event.type === 'resource.changed' && event.server === server && event.uri === uri,
    },
  )
  const command = `plugboard read ${uri}`
  return (
    <article class="tool">
      <header class="tool-head">
        <div class="tool-run">
          <Follow server={server} uri={uri} />
          <Button onPress={() => void content.reload()} command={command}>
            Read again
          </Button>
        </div>
        <div class="tool-about">
          <h1>{about?.title ?? about?.name ?? template?.title ?? template?.name ?? uri}</h1>
          <p class="resource-uri">
            <code>{uri}</code>
            <CopyButton text={uri} label="Copy the address" />
          </p>
          <p class="dim small">
            <a href={addresses.server(server)}>{server}</a>
            {about?.mimeType && ` · ${about.mimeType}`}
            {template && (
              <>
                {' · '}
                <a href={addresses.resource(server, template.uri)} title={template.uri}>
                  Other values
                </a>
              </>
            )}
          </p>
          {about?.description && <p class="tool-description">{about.description}</p>}
        </div>
      </header>
      <ServerNotice server={server} />
      <ErrorLine error={content.error} />
      {!content.value && content.isLoading && <Loading what="Content" />}
      {content.value && <ResourceParts parts={content.value.parts} uri={uri} server={server} />}
    </article>
  )
}

/** Follows a resource: events tell when it changes. */
function Follow({ server, uri }: { readonly server: string; readonly uri: string }) {
  const [isOn, setOn] = useState(() => followed.has(`${server} ${uri}`))
  const [changedAt, setChangedAt] = useState<number>()
  const change = useAction(async (isSubscribed: boolean) => {
    const answer = await send('PUT /api/resource/subscribed', { body: { server, uri, isSubscribed } })
    if (answer.isSubscribed) followed.add(`${server} ${uri}`)
    else followed.delete(`${server} ${uri}`)
    setOn(answer.isSubscribed)
  })
  useEffect(
    () =>
      onFeed('resource.changed', (event) => {
        if (event.server === server && event.uri === uri) setChangedAt(event.at)
      }),
    [server, uri],
  )
  return (
    <span class="follow">
      <ErrorLine error={change.error} />
      {changedAt !== undefined && (
        <span class="dim" role="status">
          changed <Clock at={changedAt} />
        </span>
      )}
      <label class="follow-label">
        <Switch label="Follow changes" isOn={isOn} onChange={(next) => void change.run(next)} />
        <span aria-hidden="true">Follow</span>
      </label>
    </span>
  )
}

/** Resources that this page follows; the server of the page forgets them when it ends. */
const followed = new Set<string>()
