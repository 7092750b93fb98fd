"""Least squares and logistic regression by their textbook formulas, one dense matrix and no care for memory."""

from __future__ import annotations

import numpy as np


def least_squares(design, response, weights=None):
    """Solve the normal equations; return coefficients and standard errors, robust where there are weights."""
    n, p = design.shape
    w = np.ones(n) if weights is None else weights
    bread = np.linalg.inv(design.T @ (design * w[:, None]))
    beta = bread @ design.T @ (w * response)
    residual = response - design @ beta
    if weights is None:
        covariance = bread * (residual @ residual) / (n - p)
    else:
        meat = design.T @ (design * ((w * residual) ** 2)[:, None])
        covariance = bread @ meat @ bread * n / (n - p)
    return beta, np.sqrt(np.diag(covariance))


def logistic(design, response, weights=None):
    """Climb the likelihood by Newton's method; return coefficients and standard errors."""
    w = np.ones(len(design)) if weights is None else weights
    beta = np.zeros(design.shape[1])
    for _ in range(60):
        chance = 1 / (1 + np.exp(-design @ beta))
        information = design.T @ (design * (w * chance * (1 - chance))[:, None])
        beta = beta + np.linalg.solve(information, design.T @ (w * (response - chance)))
    bread = np.linalg.inv(information)
    if weights is None:
        return beta, np.sqrt(np.diag(bread))
    meat = design.T @ (design * ((w * (response - chance)) ** 2)[:, None])
    return beta, np.sqrt(np.diag(bread @ meat @ bread))
