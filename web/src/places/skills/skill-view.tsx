import type { RouteAnswer } from '../../../../src/client.ts'
import { sizeText } from '../../parts/amounts.tsx'
import { Button } from '../../parts/button.tsx'
import { FindingList } from '../../parts/finding-list.tsx'
import { ErrorLine, Loading } from '../../parts/messages.tsx'
import { ServerNotice } from '../../parts/server-notice.tsx'
import { addresses } from '../../state/addresses.ts'
import { useAnswer } from '../../state/answers.ts'

type Skill = RouteAnswer<'GET /api/skills'>['skills'][number]

/** A skill with its files; one is read when it is opened, and verified. */
export function SkillView({ skill, file }: { readonly skill: Skill; readonly file: string | undefined }) {
  const { ref, server, name, description, uri, files = [], held } = skill
  const query = { server, uri, ...(file !== undefined && { file }) }
  const { value, error, isLoading } = useAnswer('GET /api/skill', { query })
  return (
    <article class="tool">
      <header class="tool-head">
        <div class="tool-about">
          <h1 class="mono">{name}</h1>
          <p class="dim small">
            <a href={addresses.server(server)}>{server}</a>
          </p>
          <p class="tool-description">{description}</p>
          {held !== undefined && (
            <p>
              {held} <Button to={addresses.lock}>Review</Button>
            </p>
          )}
          {files.length > 1 && (
            <ul class="skill-files" aria-label="Files">
              {files.map(({ path, size }) => (
                <li key={path}>
                  <a href={addresses.skill(ref, path)} aria-current={value?.path === path && 'page'}>
                    {path}
                  </a>{' '}
                  <span class="dim">{sizeText(size)}</span>
                </li>
              ))}
            </ul>
          )}
        </div>
      </header>
      <ServerNotice server={server} />
      <ErrorLine error={error} />
      {!value && isLoading && <Loading what="File" />}
      {value && (
        <div class="tool-pane">
          <FindingList findings={value.findings} />
          {value.text === undefined ? (
            <p class="dim">It is no text: {sizeText(value.bytes)}.</p>
          ) : (
            <pre class="text">{value.text}</pre>
          )}
          {value.isCut && <p class="dim">Only its beginning is shown.</p>}
        </div>
      )}
    </article>
  )
}
