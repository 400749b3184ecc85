import classes from './home.module.css'

/** Bars side by side, the newest on the right. The number beside it is what is read aloud. */
export function Spark({ values, bad }: { readonly values: readonly number[]; readonly bad: boolean }) {
  const most = Math.max(1, ...values)
  return (
    <span className={classes.spark} aria-hidden data-bad={bad}>
      {values.map((value, index) => (
        <i key={String(index)} style={{ height: `${Math.max(6, (value / most) * 100)}%` }} data-zero={value === 0} />
      ))}
    </span>
  )
}
