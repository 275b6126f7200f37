import { signal } from '@preact/signals'
import type { RouteAnswer } from '../../../../src/client.ts'
import type { PlaceProps } from '../../app.tsx'
import { OfferList } from '../../parts/offer-list.tsx'
import { Split } from '../../parts/split.tsx'
import { addresses } from '../../state/addresses.ts'
import { useAnswer } from '../../state/answers.ts'
import { usePageTitle } from '../../state/page-title.ts'
import { ResourceView } from './resource-view.tsx'
import { TemplateView } from './template-view.tsx'
import '../../style/tools.css'

type Resource = RouteAnswer<'GET /api/resources'>['resources'][number]

const words = signal('')

/** Resources and templates of all servers, and one of them with its content. */
export function Resources({ id: server, query }: PlaceProps) {
  const { uri, template } = query
  const answer = useAnswer('GET /api/resources', {}, { on: ['tools.changed', 'config.changed'] })
  usePageTitle(...(uri === undefined ? ['Resources'] : [uri, 'Resources']))
  const all = answer.value?.resources ?? []
  const find = (wanted: string | undefined) =>
    all.find((each) => each.server === server && each.uri === wanted)
  const open = find(uri)
  return (
    <Split
      kind="list"
      list={
        <OfferList
          title="Resources"
          noun="resource"
          command="plugboard resources"
          words={words}
          answer={answer}
          all={all}
          textsOf={({ server: of, uri: at, name, title, description }) => [of, at, name, title, description]}
          keyOf={keyOf}
          to={(resource) => addresses.resource(resource.server, resource.uri)}
          current={server === undefined ? undefined : keyOf({ server, uri: template ?? uri ?? '' })}
        >
          {(resource) => <ResourceRow resource={resource} />}
        </OfferList>
      }
      detail={
        server === undefined || uri === undefined ? undefined : open?.isTemplate ? (
          <TemplateView key={uri} server={server} template={open} />
        ) : (
          <ResourceView key={uri} server={server} uri={uri} about={open} template={find(template)} />
        )
      }
      placeholder={
        all.length > 0 && <p class="tools-none dim">Choose a resource: its content stands here.</p>
      }
      back={addresses.resources}
      backLabel="Resources"
      detailLabel="Resource"
    />
  )
}

function keyOf({ server, uri }: Pick<Resource, 'server' | 'uri'>): string {
  return `${server} ${uri}`
}

function ResourceRow({
  resource: { uri, title, name, isTemplate, mimeType },
}: {
  readonly resource: Resource
}) {
  return (
    <>
      <span class="cut" title={uri}>
        {title ?? name}
      </span>
      <span class="grow" />
      {isTemplate ? (
        <span class="mark">template</span>
      ) : (
        <span class="dim small cut resource-kind">{mimeType}</span>
      )}
    </>
  )
}
