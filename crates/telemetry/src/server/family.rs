//! Which family a sample belongs to, and as what.

use crate::exposition::FamilyKind;
use crate::samples::{PageSamples, Series};

/// What a sample is in its family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Gauge,
    Counter,
    Bucket,
    Sum,
    Count,
    Quantile,
}

/// What the family as a whole is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Gauge,
    Counter,
    Histogram,
    Summary,
}

/// The family of a series, its shape and the series' role; `None` for series that measure nothing.
pub(super) fn belongs<'a>(page: &PageSamples, series: &'a Series) -> Option<(&'a str, Shape, Role)> {
    let name = series.name();
    // When a series was made is no measurement; some libraries declare it as a gauge of its own.
    if name.ends_with("_created") {
        return None;
    }
    let kind = |family: &str| page.family_of(family).map(|family| family.kind);
    match kind(name) {
        Some(FamilyKind::Counter) => return Some((name, Shape::Counter, Role::Counter)),
        Some(FamilyKind::Summary) => return Some((name, Shape::Summary, Role::Quantile)),
        Some(FamilyKind::Unknown) | None => {}
        Some(_) => return Some((name, Shape::Gauge, Role::Gauge)),
    }
    for (suffix, role) in [("_bucket", Role::Bucket), ("_sum", Role::Sum), ("_count", Role::Count)] {
        let Some(family) = name.strip_suffix(suffix) else { continue };
        match kind(family) {
            Some(FamilyKind::Histogram) => return Some((family, Shape::Histogram, role)),
            Some(FamilyKind::Summary) if role != Role::Bucket => return Some((family, Shape::Summary, role)),
            _ => {}
        }
    }
    match name.strip_suffix("_total") {
        Some(family) if kind(family) == Some(FamilyKind::Counter) => Some((family, Shape::Counter, Role::Counter)),
        // Not declared: the name says what it is.
        Some(_) => Some((name, Shape::Counter, Role::Counter)),
        None => Some((name, Shape::Gauge, Role::Gauge)),
    }
}
