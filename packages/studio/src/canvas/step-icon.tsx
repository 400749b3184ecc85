import { useQuery } from '@tanstack/react-query'
import { activityTypesQuery } from '../designer/palette/activity-types.ts'
import { iconOfName, iconOfType } from './step-icon-names.ts'

const IMAGE = 'data:image/svg+xml;base64,'

/** Of a built-in activity, or what an activity of one's own brings: the name of an icon, or an image, which can run nothing. */
export function StepIcon({ type, size }: { readonly type: string; readonly size: number }) {
  const BuiltIn = iconOfType(type)
  const { data } = useQuery({ ...activityTypesQuery(), enabled: BuiltIn === undefined })
  if (BuiltIn !== undefined) return <BuiltIn size={size} aria-hidden />
  const icon = data?.get(type)?.icon
  if (icon?.startsWith(IMAGE)) return <img src={icon} width={size} height={size} alt="" />
  const Named = iconOfName(icon)
  return <Named size={size} aria-hidden />
}
