//! From flags as typed to a [`Plan`]: values, defaults and conflicts. All that is wrong is collected.

mod goodput;
mod load;
mod report;
mod target;
mod values;
mod workload;

use tokamark_plan::Plan;

use crate::args::ProfileArgs;
use crate::problems::Problems;

/// What a command line asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Resolved {
    /// The run. URLs of simulated engines are still `sim:…`.
    pub(crate) plan: Plan,
    /// `--endpoint`, for the URLs of simulated engines that are known only once they run.
    pub(crate) endpoint_path: Option<String>,
}

/// Gives the flags their meaning. `variable` reads the environment.
///
/// # Errors
/// Everything that is wrong, including what `problems` held already.
pub(crate) fn resolve(
    args: &ProfileArgs,
    variable: &dyn Fn(&str) -> Option<String>,
    mut problems: Problems,
) -> Result<Resolved, Problems> {
    let target = target::resolve(&args.endpoint, &args.connection, variable, &mut problems);
    let load = load::resolve(&args.load, &mut problems);
    let workload = workload::resolve(&args.input, target.endpoint, &mut problems);
    let report = report::resolve(&args.output, &target, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    let plan = Plan { target, load, workload, report };
    Ok(Resolved { plan, endpoint_path: args.endpoint.endpoint.clone() })
}

#[cfg(test)]
mod tests;
