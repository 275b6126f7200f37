import type { RouteAnswer } from '../../../../src/client.ts'
import { addresses } from '../../state/addresses.ts'

type Settings = RouteAnswer<'GET /api/config'>['settings']

/** The settings in force, each with what it does. They are changed in their file. */
export function ConfigSettings({ settings: { place, values } }: { readonly settings: Settings }) {
  const isAnySet = values.some(({ value }) => value !== null)
  return (
    <>
      <h1>Settings</h1>
      <p class="dim">
        {isAnySet ? (
          <>
            From{' '}
            <a class="mono" href={addresses.configFile(place.file, place.line)}>
              {place.shown}
            </a>
            .
          </>
        ) : (
          <>
            None is set: the defaults apply. Settings are written to <span class="mono">{place.shown}</span>.
          </>
        )}{' '}
        A change of the file counts at once.
      </p>
      <dl class="setting-rows">
        {values.map(({ name, value, about }) => (
          <div key={name}>
            <dt class="mono">{name}</dt>
            <dd>
              {value === null ? (
                <span class="dim">not set</span>
              ) : (
                <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
              )}
              <p class="dim small">
                <Marked text={about} />
              </p>
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}

/** Text with names between backticks. */
function Marked({ text }: { readonly text: string }) {
  return (
    <>{text.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}</>
  )
}
